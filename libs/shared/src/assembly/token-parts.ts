import { pathTo, readTokenRecord } from "../contracts/index.ts";
import { type RegionCalls, tagged, tagOf } from "../domain/region-calls/index.ts";
import {
  type AccessTokenRules,
  createKeySource,
  createOpaqueRecordReader,
  createOpaqueVerifier,
  createRevocation,
  type KeySource,
  keySetFile,
  keySetUrl,
  type OpaqueRecord,
  type Revocation,
  type TokenVerifier,
} from "../domain/tokens/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { type Clock, steadyClock, systemClock } from "../platform/time/clock.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** More than the token holders that a process meets at a time; an entry takes some hundred bytes. */
export const maxCachedTokens = 20_000;
const keySetRetryMs = 5000;
const keySetTimeoutMs = 5000;

export interface TokenParts {
  readonly logger: Logger;
  /** The client of the role `state`. */
  readonly redis: RedisClient;
  /** For intervals and lifetimes; it must not step. */
  readonly clock: Clock;
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
  { logger, clock }: TokenParts,
): KeySource {
  const url = jwks_url === "" ? new URL(pathTo("jwks"), runtime.services.idp.url).href : jwks_url;
  return createKeySource({
    load: jwks_file === "" ? keySetUrl(url) : keySetFile(jwks_file),
    clock,
    refreshMs: auth.backchannel.oidc_bearer.jwks_refresh,
    retryAfterMs: keySetRetryMs,
    timeoutMs: keySetTimeoutMs,
    onError: (err) => logger.warn({ err }, "keys of access tokens could not be read"),
  });
}

export function revocationFromConfig({ auth, storage }: Config, { logger, redis, clock }: TokenParts): Revocation {
  return createRevocation(redis, storage.redis.prefix, {
    clock,
    ttlMs: auth.backchannel.oidc_bearer.revocation_ttl,
    timeoutMs: storage.redis.read_timeout,
    maxEntries: maxCachedTokens,
    onError: stateUnreadable(logger),
  });
}

export function stateUnreadable(logger: Logger): (err: unknown) => void {
  return (err) => logger.error({ err }, "state of a token could not be read");
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
  const { identity, storage, auth } = config;
  const keys = keyRingFromConfig(config, "oidc");
  if (!identity.oidc.enabled || identity.oidc.issuer !== rules.issuer || keys === undefined) return undefined;
  const { redis, regionCalls } = parts;
  const timeoutMs = storage.redis.read_timeout;
  return createOpaqueVerifier(rules, {
    clock: parts.clock,
    read: readEverywhere(createOpaqueRecordReader(redis, storage.redis.prefix, keys), regionCalls, timeoutMs),
    ttlMs: auth.backchannel.oidc_bearer.revocation_ttl,
    timeoutMs,
    maxEntries: maxCachedTokens,
    onError: stateUnreadable(parts.logger),
  });
}
