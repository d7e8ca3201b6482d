import { authenticate } from "@postern/shared/contracts";
import { createRevoker, serviceTokenKey, serviceTokenNames } from "@postern/shared/domain/tokens";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { systemClock } from "@postern/shared/platform/time";
import type { AdminParts } from "../admin-parts.ts";
import type { AdminRecords } from "../admin-records.ts";
import type { Suspending } from "../suspensions/context.ts";
import { createJwtIssuer, type JwtIssuer } from "./jwt-issuer.ts";
import { createRefreshFamilies } from "./refresh-families-redis.ts";
import { createTokenPairs } from "./token-pair.ts";
import { createJwtUsers } from "./users.ts";

const suspended = { outcome: "fail", reason: "account_suspended", memoryCache: "miss" } as const;

export function createIssuer(parts: AdminParts & Suspending & Pick<AdminRecords, "regionLog">): JwtIssuer | undefined {
  const { settings, live, state, keyPrefix, bus, passwords, adminMetrics, suspensions, logger, audit } = parts;
  if (settings.jwtSecret === undefined) return undefined;
  const { identifier, clockSkewSeconds: skewSeconds } = settings;
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
    families: createRefreshFamilies(state, keyPrefix, parts.regionLog),
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
