import { AppError } from "@postern/shared/platform/errors";
import { defineScript, deniedTokenKey, type RedisClient, refreshFamilyKey } from "@postern/shared/platform/redis";
import type { Redemption, RefreshFamilies } from "./refresh-families.ts";
import redeemRefreshTokenLua from "./scripts/redeem-refresh-token.lua?raw";

const redeemRefreshToken = {
  name: "redeemRefreshToken",
  lua: redeemRefreshTokenLua,
  keys: ["familyKey", "deniedKey"],
  args: ["presented", "nextToken", "lifeSeconds", "deniedSeconds"],
} as const;

const redemptions: readonly Redemption[] = ["redeemed", "unknown", "reused"];

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "refresh tokens cannot be redeemed", cause });
}

export function createRefreshFamilies(redis: RedisClient, keyPrefix: string): RefreshFamilies {
  const redeem = defineScript(redis, redeemRefreshToken);
  return {
    begin: async (family, first, ttlSeconds) => {
      try {
        await redis.set(refreshFamilyKey.build(keyPrefix, family), first, "EX", ttlSeconds);
      } catch (error) {
        throw unavailable(error);
      }
    },
    redeem: async ({ family, presented, next, ttlSeconds, denySeconds }) => {
      const result = await redeem(
        { familyKey: refreshFamilyKey.build(keyPrefix, family), deniedKey: deniedTokenKey.build(keyPrefix, family) },
        { presented, nextToken: next, lifeSeconds: ttlSeconds, deniedSeconds: denySeconds },
      ).catch((error: unknown) => Promise.reject(unavailable(error)));
      const redemption = redemptions.find((name) => name === result);
      if (redemption === undefined) throw unavailable(undefined);
      return redemption;
    },
  };
}
