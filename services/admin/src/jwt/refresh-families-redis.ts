import type { RegionLog } from "@postern/shared/domain/regions";
import { AppError } from "@postern/shared/platform/errors";
import { defineScript, deniedTokenKey, type RedisClient, refreshFamilyKey } from "@postern/shared/platform/redis";
import redeemRefreshTokenLua from "./scripts/redeem-refresh-token.lua?raw";

/**
 * `redeemed`: this was the valid token of its family, and the next one has replaced it. `unknown`: expired or revoked. `reused`: redeemed
 * before, so one of two holders has stolen it, and the whole family is revoked.
 */
export type Redemption = "redeemed" | "unknown" | "reused";

export interface Redeem {
  readonly family: string;
  /** `jti` of the presented token. */
  readonly presented: string;
  /** `jti` of its successor. */
  readonly next: string;
  readonly ttlSeconds: number;
  /** How long access tokens of a revoked family must be rejected, in seconds. */
  readonly denySeconds: number;
}

const redemptions: readonly Redemption[] = ["redeemed", "unknown", "reused"];

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "refresh tokens cannot be redeemed", cause });
}

/**
 * Single-use refresh tokens. Both functions reject if the store is unavailable; then no token is issued.
 *
 * @param log where other regions read of a revoked family; absent without regions
 */
export function createRefreshFamilies(
  redis: RedisClient,
  keyPrefix: string,
  log: Pick<RegionLog, "append"> | undefined,
) {
  const redeem = defineScript(redis, {
    name: "redeemRefreshToken",
    lua: redeemRefreshTokenLua,
    keys: ["familyKey", "deniedKey"],
    args: ["presented", "nextToken", "lifeSeconds", "deniedSeconds"],
  });
  return {
    begin: async (family: string, first: string, ttlSeconds: number): Promise<void> => {
      try {
        await redis.set(refreshFamilyKey.build(keyPrefix, family), first, "EX", ttlSeconds);
      } catch (error) {
        throw unavailable(error);
      }
    },
    /** Atomic: of any number of concurrent calls with one token, in any number of processes, exactly one is `redeemed`. */
    redeem: async ({ family, presented, next, ttlSeconds, denySeconds }: Redeem): Promise<Redemption> => {
      const result = await redeem(
        { familyKey: refreshFamilyKey.build(keyPrefix, family), deniedKey: deniedTokenKey.build(keyPrefix, family) },
        { presented, nextToken: next, lifeSeconds: ttlSeconds, deniedSeconds: denySeconds },
      ).catch((error: unknown) => Promise.reject(unavailable(error)));
      const redemption = redemptions.find((name) => name === result);
      if (redemption === undefined) throw unavailable(undefined);
      // The family is revoked here in any case, and its access tokens live for minutes.
      if (redemption === "reused")
        await log?.append({ kind: "token-denied", id: family, remainingMs: denySeconds * 1000 }).catch(() => undefined);
      return redemption;
    },
  };
}

export type RefreshFamilies = ReturnType<typeof createRefreshFamilies>;
