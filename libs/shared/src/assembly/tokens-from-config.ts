import { backchannelAudience, type Config } from "../config/index.ts";
import { Secret } from "../crypto/secret.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import {
  type AccessTokenRules,
  createTokenVerifier,
  type KeySource,
  type ServiceTokenRules,
  serviceTokenKey,
  type TokenVerifier,
} from "../tokens/index.ts";
import { keySourceAt, maxCachedTokens, revocationFromConfig, stateUnreadable, type TokenParts } from "./token-parts.ts";

export interface CallerTokens {
  /** Absent when no kind of token is enabled. */
  readonly verifier: TokenVerifier | undefined;
  /** Stops asking for keys. */
  close(): void;
}

export type CallerTokenParts = Omit<TokenParts, "clock">;

function skewSeconds({ auth }: Config): number {
  return Math.round(auth.backchannel.oidc_bearer.clock_skew / 1000);
}

function accessRules(config: Config, keys: KeySource, clock: Clock): AccessTokenRules {
  const { issuer } = config.auth.backchannel.oidc_bearer;
  return { issuer, audiences: [backchannelAudience(config)], skewSeconds: skewSeconds(config), clock, keys };
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
export function callerTokensFromConfig(config: Config, given: CallerTokenParts): CallerTokens {
  const { oidc_bearer, jwt } = config.auth.backchannel;
  if (!oidc_bearer.enabled && !jwt.enabled) return { verifier: undefined, close: () => undefined };
  const parts = { ...given, clock: systemClock };
  const { clock, logger } = parts;
  const decidable = oidc_bearer.enabled && oidc_bearer.issuer !== "";
  const keys = decidable ? keySourceAt(oidc_bearer, config, parts) : undecidableKeys();
  const verifier = createTokenVerifier({
    access: oidc_bearer.enabled ? accessRules(config, keys, clock) : undefined,
    service: serviceRules(config, clock),
    revocation: revocationFromConfig(config, parts),
    clock,
    cacheTtlMs: oidc_bearer.cache_ttl,
    maxCached: maxCachedTokens,
    onError: stateUnreadable(logger),
  });
  return { verifier, close: () => keys.close() };
}
