import { pathTo, readTokenRecord } from "../contracts/index.ts";
import { type RegionCalls, tagged, tagOf } from "../domain/region-calls/index.ts";
import {
  type AccessTokenRules,
  createKeySource,
  createOpaqueRecordReader,
  createOpaqueVerifier,
  createRevocation,
  createTokenVerifier,
  type KeySource,
  keySetFile,
  keySetUrl,
  type OpaqueRecord,
  type ServiceTokenRules,
  type TokenVerifier,
} from "../domain/tokens/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { steadyClock, systemClock } from "../platform/time/clock.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** More than the token holders that a process meets at a time; an entry takes some hundred bytes. */
const maxCachedTokens = 20_000;
const keySetRetryMs = 5000;
const keySetTimeoutMs = 5000;

export interface TokenParts {
  readonly logger: Logger;
  /** The client of the role `state`. */
  readonly redis: RedisClient;
  /** Undefined if there is one region only. */
  readonly regionCalls?: RegionCalls | undefined;
}

/** Location of a key set; if both members are empty, the identity provider's own. */
export interface KeySetPlace {
  readonly jwks_file: string;
  readonly jwks_url: string;
}

export function keySourceAt(
  { jwks_file, jwks_url }: KeySetPlace,
  { auth, runtime }: Config,
  { logger }: TokenParts,
): KeySource {
  const url = jwks_url === "" ? new URL(pathTo("jwks"), runtime.services.idp.url).href : jwks_url;
  return createKeySource({
    load: jwks_file === "" ? keySetUrl(url) : keySetFile(jwks_file),
    clock: steadyClock,
    refreshMs: auth.backchannel.oidc_bearer.jwks_refresh,
    retryAfterMs: keySetRetryMs,
    timeoutMs: keySetTimeoutMs,
    onError: (err) => logger.warn({ err }, "keys of access tokens could not be read"),
  });
}

/** What all that keeps the state of tokens in memory has in common. */
function stateLimits({ auth, storage }: Config, { logger }: TokenParts) {
  return {
    clock: steadyClock,
    ttlMs: auth.backchannel.oidc_bearer.revocation_ttl,
    timeoutMs: storage.redis.read_timeout,
    maxEntries: maxCachedTokens,
    onError: (err: unknown): void => logger.error({ err }, "state of a token could not be read"),
  };
}

interface TokenRules {
  readonly access: AccessTokenRules | undefined;
  readonly service: ServiceTokenRules | undefined;
  /** For opaque tokens. */
  readonly opaque: TokenVerifier | undefined;
}

/** Verifies tokens of all kinds. */
export function tokenVerifierFromConfig(
  config: Config,
  { access, service, opaque }: TokenRules,
  parts: TokenParts,
): TokenVerifier {
  const limits = stateLimits(config, parts);
  const signed = createTokenVerifier({
    access,
    service,
    revocation: createRevocation(parts.redis, config.storage.redis.prefix, limits),
    clock: steadyClock,
    cacheTtlMs: config.auth.backchannel.oidc_bearer.cache_ttl,
    maxCached: maxCachedTokens,
    onError: limits.onError,
  });
  // Signed tokens contain dots, opaque ones never do.
  const kindOf = (token: string): TokenVerifier => (token.includes(".") ? signed : (opaque ?? signed));
  return { verify: (token) => kindOf(token).verify(token) };
}

type ReadRecord = (key: string) => Promise<OpaqueRecord>;

/** Asks the region that a key names for the record. */
function readEverywhere(readHere: ReadRecord, calls: RegionCalls | undefined, timeoutMs: number): ReadRecord {
  return async (key) => {
    const tag = tagOf(key);
    const digest = tag === undefined ? key : key.slice(tagged(tag, "").length);
    const region = calls?.elsewhere(tag);
    if (calls === undefined || region === undefined) return readHere(digest);
    const { record } = await calls.ask(
      region,
      readTokenRecord,
      { digest },
      { deadline: steadyClock.now() + timeoutMs },
    );
    if (record === undefined) return "none";
    const { remainingMs, signedInAt, ...same } = record;
    return { ...same, signedInAt, expiresAtMs: systemClock.now() + remainingMs };
  };
}

/** Absent if another identity provider issues the tokens, because their records are then not in our Redis. */
export function opaqueTokensFromConfig(
  config: Config,
  rules: AccessTokenRules,
  parts: TokenParts,
): TokenVerifier | undefined {
  const { identity, storage } = config;
  const keys = keyRingFromConfig(config, "oidc");
  if (!identity.oidc.enabled || identity.oidc.issuer !== rules.issuer || keys === undefined) return undefined;
  const { redis, regionCalls } = parts;
  const readHere = createOpaqueRecordReader(redis, storage.redis.prefix, keys);
  const limits = stateLimits(config, parts);
  return createOpaqueVerifier(rules, { ...limits, read: readEverywhere(readHere, regionCalls, limits.timeoutMs) });
}
