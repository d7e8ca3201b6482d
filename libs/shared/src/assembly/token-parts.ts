import { pathTo } from "../contracts/index.ts";
import {
  type AccessTokenRules,
  createKeySource,
  createOpaqueRecordReader,
  createOpaqueVerifier,
  createRevocation,
  type KeySource,
  keySetFile,
  keySetUrl,
  type Revocation,
  type TokenVerifier,
} from "../domain/tokens/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import type { Clock } from "../platform/time/clock.ts";
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

/** Absent if another identity provider issues the tokens, because their records are then not in our Redis. */
export function opaqueTokensFromConfig(
  config: Config,
  rules: AccessTokenRules,
  parts: TokenParts,
): TokenVerifier | undefined {
  const { identity, storage, auth } = config;
  const keys = keyRingFromConfig(config, "oidc");
  if (!identity.oidc.enabled || identity.oidc.issuer !== rules.issuer || keys === undefined) return undefined;
  return createOpaqueVerifier(rules, {
    clock: parts.clock,
    read: createOpaqueRecordReader(parts.redis, storage.redis.prefix, keys),
    ttlMs: auth.backchannel.oidc_bearer.revocation_ttl,
    timeoutMs: storage.redis.read_timeout,
    maxEntries: maxCachedTokens,
    onError: stateUnreadable(parts.logger),
  });
}
