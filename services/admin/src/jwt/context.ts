import { type Base, type EngineBus, regionLogFromConfig } from "@postern/shared/assembly";
import { authenticate } from "@postern/shared/contracts";
import type { PasswordVerifier } from "@postern/shared/domain/passwords";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import { createRevoker, serviceTokenKey, serviceTokenNames } from "@postern/shared/domain/tokens";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { AdminMetrics } from "../metrics.ts";
import type { AdminSettings, LiveAdminSettings } from "../settings.ts";
import { createJwtIssuer, type JwtIssuer } from "./jwt-issuer.ts";
import { createRefreshFamilies } from "./refresh-families-redis.ts";
import { createTokenPairs } from "./token-pair.ts";
import { createJwtUsers } from "./users.ts";

interface JwtParts extends Pick<Base, "audit" | "logger">, Pick<EngineBus, "bus"> {
  readonly settings: AdminSettings;
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
  readonly passwords: PasswordVerifier;
  readonly adminMetrics: AdminMetrics;
  readonly suspensions: Pick<Suspensions, "find">;
}

const suspended = { outcome: "fail", reason: "account_suspended", memoryCache: "miss" } as const;

export function createIssuer(config: Config, parts: JwtParts): JwtIssuer | undefined {
  const { settings, live, state, bus, passwords, adminMetrics, suspensions, logger, audit } = parts;
  if (settings.jwtSecret === undefined) return undefined;
  const { identifier, clockSkewSeconds: skewSeconds } = settings;
  const { prefix: keyPrefix } = config.storage.redis;
  const clock = systemClock;
  const lives = () => live.current.jwt.lives;
  const revoker = createRevoker(state, keyPrefix, clock);
  const { issuer } = serviceTokenNames(identifier);
  const key = serviceTokenKey(settings.jwtSecret);
  return createJwtIssuer({
    users: createJwtUsers(
      () => live.current.jwt,
      passwords,
      createKeyedDigest(key),
      // A refreshed token needs a look-up only, which engines answer for a suspended account too.
      async (request, context) => {
        const decision = await bus.request(authenticate, request, context);
        const isSuspended = decision.outcome === "ok" && suspensions.find(decision.account) !== undefined;
        return isSuspended ? suspended : decision;
      },
    ),
    pairs: createTokenPairs({ key, identifier, skewSeconds, clock }, lives, clock),
    families: createRefreshFamilies(state, keyPrefix, regionLogFromConfig(config, state)),
    lives,
    epochOf: (username) =>
      revoker.epochOf(issuer, username).catch((cause: unknown) => {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the token epoch of a user cannot be read", cause });
      }),
    onReuse: (session) => {
      adminMetrics.refreshTokenReused();
      audit.record({ event: "token.reuse", outcome: "denied", session });
      logger.warn({ session }, "a refresh token was used twice; its family was revoked");
    },
  });
}
