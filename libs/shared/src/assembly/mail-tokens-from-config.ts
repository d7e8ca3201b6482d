import { backchannelAudience, type Config } from "../config/index.ts";
import { systemClock } from "../time/clock.ts";
import { createTokenVerifier, type TokenVerifier } from "../tokens/index.ts";
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

/**
 * The check of users' tokens, as `auth.oauthbearer` says. A token that names the back channel's audience is a
 * caller's and is refused, whatever its scope.
 */
export function mailTokensFromConfig(config: Config, given: Omit<TokenParts, "clock">): MailTokens {
  const { oauthbearer, backchannel } = config.auth;
  const clock = systemClock;
  const parts = { ...given, clock };
  const keys = keySourceAt(keySetPlace(config), config, parts);
  const verifier = createTokenVerifier({
    access: {
      issuer: oauthbearer.issuer === "" ? backchannel.oidc_bearer.issuer : oauthbearer.issuer,
      audiences: oauthbearer.audience,
      refusedAudiences: [backchannelAudience(config)],
      requiredScopes: oauthbearer.required_scope,
      usernameClaims: oauthbearer.username_claims,
      isForUsers: true,
      skewSeconds: Math.round(oauthbearer.clock_skew / 1000),
      clock,
      keys,
    },
    service: undefined,
    revocation: revocationFromConfig(config, parts),
    clock,
    cacheTtlMs: backchannel.oidc_bearer.cache_ttl,
    maxCached: maxCachedTokens,
    onError: stateUnreadable(given.logger),
  });
  return { verifier, close: () => keys.close() };
}
