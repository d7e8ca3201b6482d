import { backchannelAudience, type Config } from "../config/index.ts";
import { systemClock } from "../time/clock.ts";
import {
  type AccessTokenRules,
  createOpaqueRecordReader,
  createOpaqueVerifier,
  createTokenVerifier,
  type TokenVerifier,
} from "../tokens/index.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";
import {
  type KeySetPlace,
  keySourceAt,
  maxCachedTokens,
  revocationFromConfig,
  stateUnreadable,
  type TokenParts,
} from "./token-parts.ts";

/** The check of the tokens that mail clients sign in with. */
export interface MailTokens {
  readonly verifier: TokenVerifier;
  /** Stops asking for keys. */
  close(): void;
}

/** The callers' key set is taken only when none is named for users: a file of theirs must not hide a URL of ours. */
function keySetPlace({ auth }: Config): KeySetPlace {
  const { jwks_file, jwks_url } = auth.oauthbearer;
  return jwks_file === "" && jwks_url === "" ? auth.backchannel.oidc_bearer : { jwks_file, jwks_url };
}

/** Absent where the tokens' issuer is not our identity provider: then nobody here has their records. */
function opaqueVerifier(config: Config, rules: AccessTokenRules, parts: TokenParts): TokenVerifier | undefined {
  const { identity, storage, auth } = config;
  const keys = keyRingFromConfig(config, "oidc");
  if (!identity.oidc.enabled || identity.oidc.issuer !== rules.issuer || keys === undefined) return undefined;
  return createOpaqueVerifier({
    rules,
    read: createOpaqueRecordReader({ redis: parts.redis, prefix: storage.redis.prefix, keys }),
    ttlMs: auth.backchannel.oidc_bearer.revocation_ttl,
    timeoutMs: storage.redis.read_timeout,
    maxEntries: maxCachedTokens,
    onError: stateUnreadable(parts.logger),
  });
}

/**
 * The check of users' tokens, as `auth.oauthbearer` says. A token that names the back channel's audience is a
 * caller's and is refused, whatever its scope.
 */
export function mailTokensFromConfig(config: Config, given: Omit<TokenParts, "clock">): MailTokens {
  const { oauthbearer, backchannel } = config.auth;
  const clock = systemClock;
  const parts = { ...given, clock };
  const keys = keySourceAt(keySetPlace(config), config, parts);
  const access: AccessTokenRules = {
    issuer: oauthbearer.issuer === "" ? backchannel.oidc_bearer.issuer : oauthbearer.issuer,
    audiences: oauthbearer.audience,
    refusedAudiences: [backchannelAudience(config)],
    requiredScopes: oauthbearer.required_scope,
    usernameClaims: oauthbearer.username_claims,
    skewSeconds: Math.round(oauthbearer.clock_skew / 1000),
    clock,
    keys,
  };
  const signed = createTokenVerifier({
    access,
    service: undefined,
    revocation: revocationFromConfig(config, parts),
    clock,
    cacheTtlMs: backchannel.oidc_bearer.cache_ttl,
    maxCached: maxCachedTokens,
    onError: stateUnreadable(given.logger),
  });
  const opaque = opaqueVerifier(config, access, parts);
  // Every signed token has dots, no opaque one has any.
  const kindOf = (token: string): TokenVerifier => (token.includes(".") ? signed : (opaque ?? signed));
  return { verifier: { verify: (token) => kindOf(token).verify(token) }, close: () => keys.close() };
}
