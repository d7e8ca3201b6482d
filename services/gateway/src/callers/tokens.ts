import {
  keySourceAt,
  opaqueTokensFromConfig,
  type TokenParts,
  tokenVerifierFromConfig,
} from "@postern/shared/assembly";
import {
  type AccessTokenRules,
  type KeySource,
  type ServiceTokenRules,
  serviceTokenKey,
  type TokenVerdict,
  type TokenVerifier,
} from "@postern/shared/domain/tokens";
import { backchannelAudience, type Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import type { RedisClock } from "@postern/shared/platform/redis";
import { type PossibleTimes, possibleTimes, systemClock } from "@postern/shared/platform/time";
import { type BearerCheck, createBearerCheck } from "./bearer.ts";

function skewSeconds({ auth }: Config): number {
  return Math.round(auth.backchannel.oidc_bearer.clock_skew / 1000);
}

function accessRules(config: Config, keys: KeySource, { earliest, latest }: PossibleTimes): AccessTokenRules {
  const { issuer } = config.auth.backchannel.oidc_bearer;
  const clocks = { clock: earliest, latestClock: latest };
  return { issuer, audiences: [backchannelAudience(config)], skewSeconds: skewSeconds(config), ...clocks, keys };
}

function serviceRules(config: Config, { earliest: clock }: PossibleTimes): ServiceTokenRules | undefined {
  const { jwt } = config.auth.backchannel;
  if (!jwt.enabled) return undefined;
  const { identifier } = config.runtime.naming;
  return { key: serviceTokenKey(new Secret(jwt.secret_key)), identifier, skewSeconds: skewSeconds(config), clock };
}

/** Tokens of an issuer that is not configured cannot be verified: every lookup is unavailable. */
function undecidableKeys(): KeySource {
  return { held: () => undefined, find: async () => ({ outcome: "unavailable" }), close: () => undefined };
}

function refused(verdict: TokenVerdict): TokenVerdict {
  return verdict.outcome === "wrong_token_type" ? verdict : { outcome: "invalid", reason: "malformed" };
}

/**
 * Opaque tokens belong to users and grant nothing on the back channel. A live one is a valid token of the wrong kind, which is rejected
 * without delay; one that cannot be looked up is treated as an invalid token. Neither is accepted.
 */
function usersOpaqueTokens(config: Config, rules: AccessTokenRules, parts: TokenParts): TokenVerifier | undefined {
  const found = opaqueTokensFromConfig(config, { ...rules, audiences: [] }, parts);
  return (
    found && {
      verify: (token) => {
        const verdict = found.verify(token);
        return verdict instanceof Promise ? verdict.then(refused) : refused(verdict);
      },
    }
  );
}

/**
 * Verifies callers' tokens by `auth.backchannel.oidc_bearer` and `auth.backchannel.jwt`; `check` is undefined if no kind of token is enabled.
 * `close` stops refreshing keys.
 */
export function callerTokensFromConfig(
  config: Config,
  parts: TokenParts & { readonly sharedClock: RedisClock },
): { readonly check: BearerCheck | undefined; readonly close: () => void } {
  const { oidc_bearer, jwt } = config.auth.backchannel;
  if (!oidc_bearer.enabled && !jwt.enabled) return { check: undefined, close: () => undefined };
  const times = possibleTimes(systemClock, parts.sharedClock);
  const decidable = oidc_bearer.enabled && oidc_bearer.issuer !== "";
  const keys = decidable ? keySourceAt(oidc_bearer, config, parts) : undecidableKeys();
  const access = oidc_bearer.enabled ? accessRules(config, keys, times) : undefined;
  const opaque = access && usersOpaqueTokens(config, access, parts);
  const verifier = tokenVerifierFromConfig(config, { access, service: serviceRules(config, times), opaque }, parts);
  return { check: createBearerCheck(verifier), close: () => keys.close() };
}
