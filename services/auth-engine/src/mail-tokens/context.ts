import {
  type KeySetPlace,
  keySourceAt,
  opaqueTokensFromConfig,
  regionCallsFromConfig,
  type TokenParts,
  tokenVerifierFromConfig,
} from "@postern/shared/assembly";
import type { AccessTokenRules } from "@postern/shared/domain/tokens";
import { backchannelAudience, type Config, mailScopes } from "@postern/shared/platform/config";
import { watchRedisClock } from "@postern/shared/platform/redis";
import { possibleTimes, systemClock } from "@postern/shared/platform/time";
import type { Foundation } from "../foundation.ts";
import type { EngineSettings } from "../settings.ts";
import { createMailTokenCheck } from "./check-mail-token.ts";

/**
 * The callers' key set is used only if none is configured for users: a file configured for callers must not take precedence over a URL
 * configured for users.
 */
function keySetPlace({ auth }: Config): KeySetPlace {
  const { jwks_file, jwks_url } = auth.oauthbearer;
  return jwks_file === "" && jwks_url === "" ? auth.backchannel.oidc_bearer : { jwks_file, jwks_url };
}

/**
 * Verifies users' tokens by `auth.oauthbearer`. A token with the audience of the back channel belongs to an API caller and is rejected,
 * whatever its scope.
 */
function mailTokensFromConfig(config: Config, parts: TokenParts) {
  const { oauthbearer, backchannel } = config.auth;
  const { oidc } = config.identity;
  const issuer = oauthbearer.issuer === "" ? backchannel.oidc_bearer.issuer : oauthbearer.issuer;
  const isOwn = oidc.enabled && oidc.mail_registration.enabled && oidc.issuer === issuer;
  const times = possibleTimes(systemClock, watchRedisClock(parts.redis));
  const keys = keySourceAt(keySetPlace(config), config, parts);
  const access: AccessTokenRules = {
    issuer,
    audiences: oauthbearer.audience,
    refusedAudiences: [backchannelAudience(config)],
    requiredScopes: oauthbearer.required_scope,
    profile: isOwn
      ? {
          audience: oidc.mail_registration.audience,
          scopes: mailScopes(oidc.mail_registration).map(({ name }) => name),
        }
      : undefined,
    usernameClaims: oauthbearer.username_claims,
    isForUsers: true,
    skewSeconds: Math.round(oauthbearer.clock_skew / 1000),
    clock: times.earliest,
    latestClock: times.latest,
    keys,
  };
  const opaque = opaqueTokensFromConfig(config, access, parts);
  const verifier = tokenVerifierFromConfig(config, { access, service: undefined, opaque }, parts);
  /** Stops refreshing keys. */
  const close = (): void => keys.close();
  return { verifier, close };
}

/** Verification of users' access tokens, with the resources that it keeps open. */
export async function createMailTokens(
  config: Config,
  { oauthBearer }: EngineSettings,
  { base, metrics, redis }: Pick<Foundation, "base" | "metrics" | "redis">,
) {
  if (!oauthBearer.enabled) return undefined;
  const regionCalls = await regionCallsFromConfig(config, base);
  const tokens = mailTokensFromConfig(config, { logger: base.logger, redis, regionCalls });
  const { ignoreCase, limits } = oauthBearer;
  const check = createMailTokenCheck(tokens.verifier, ignoreCase, limits, metrics.mailTokenChecked);
  const close = async (): Promise<void> => {
    tokens.close();
    await regionCalls?.close();
  };
  return { check, close };
}
