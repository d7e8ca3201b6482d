import type { Config } from "../config/index.ts";
import { Secret } from "../crypto/secret.ts";
import type { Logger } from "../logging/logger.ts";
import type { RedisClient } from "../redis/client.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import {
  type AccessTokenRules,
  createKeySource,
  createRevocation,
  createTokenVerifier,
  type KeySource,
  keySetFile,
  keySetUrl,
  type ServiceTokenRules,
  serviceTokenKey,
  type TokenVerifier,
} from "../tokens/index.ts";

/** More callers than any site has; an entry is some hundred bytes. */
const maxCached = 20_000;
const keySetRetryMs = 5000;
const keySetTimeoutMs = 5000;

export interface CallerTokens {
  /** Absent when no kind of token is enabled. */
  readonly verifier: TokenVerifier | undefined;
  /** Stops asking for keys. */
  close(): void;
}

export interface CallerTokenParts {
  readonly logger: Logger;
  /** Of the role `state`. */
  readonly redis: RedisClient;
}

function skewSeconds({ auth }: Config): number {
  return Math.round(auth.backchannel.oidc_bearer.clock_skew / 1000);
}

function keysOf({ auth, runtime }: Config, { logger }: CallerTokenParts, clock: Clock): KeySource {
  const { jwks_file, jwks_url, jwks_refresh } = auth.backchannel.oidc_bearer;
  const url = jwks_url === "" ? new URL("/oidc/jwks", runtime.services.idp.url).href : jwks_url;
  return createKeySource({
    load: jwks_file === "" ? keySetUrl(url) : keySetFile(jwks_file),
    clock,
    refreshMs: jwks_refresh,
    retryAfterMs: keySetRetryMs,
    timeoutMs: keySetTimeoutMs,
    onError: (err) => logger.warn({ err }, "keys of access tokens could not be read"),
  });
}

function accessRules(config: Config, keys: KeySource, clock: Clock): AccessTokenRules {
  const { issuer, audience } = config.auth.backchannel.oidc_bearer;
  return {
    issuer,
    audience: audience === "" ? `${config.runtime.naming.identifier}:backchannel` : audience,
    skewSeconds: skewSeconds(config),
    clock,
    keys,
  };
}

function serviceRules(config: Config, clock: Clock): ServiceTokenRules | undefined {
  const { jwt } = config.auth.backchannel;
  if (!jwt.enabled) return undefined;
  const { identifier } = config.runtime.naming;
  return { key: serviceTokenKey(new Secret(jwt.secret_key)), identifier, skewSeconds: skewSeconds(config), clock };
}

/** Nothing can be decided about tokens of an issuer that is not configured. */
function undecidableKeys(): KeySource {
  return { held: () => undefined, find: async () => ({ outcome: "unavailable" }), close: () => undefined };
}

/** The check of callers' tokens, as `auth.backchannel.oidc_bearer` and `auth.backchannel.jwt` say. */
export function callerTokensFromConfig(config: Config, parts: CallerTokenParts): CallerTokens {
  const { oidc_bearer, jwt } = config.auth.backchannel;
  if (!oidc_bearer.enabled && !jwt.enabled) return { verifier: undefined, close: () => undefined };
  const clock = systemClock;
  const { logger, redis } = parts;
  const decidable = oidc_bearer.enabled && oidc_bearer.issuer !== "";
  const keys = decidable ? keysOf(config, parts, clock) : undecidableKeys();
  const onError = (err: unknown): void => logger.error({ err }, "state of a token could not be read");
  const verifier = createTokenVerifier({
    access: oidc_bearer.enabled ? accessRules(config, keys, clock) : undefined,
    service: serviceRules(config, clock),
    revocation: createRevocation({
      redis,
      prefix: config.storage.redis.prefix,
      clock,
      ttlMs: oidc_bearer.revocation_ttl,
      timeoutMs: config.storage.redis.read_timeout,
      maxEntries: maxCached,
      onError,
    }),
    clock,
    cacheTtlMs: oidc_bearer.cache_ttl,
    maxCached,
    onError,
  });
  return { verifier, close: () => keys.close() };
}
