import { AppError } from "@postern/shared/errors";
import { deniedTokenKey, type RedisClient, refreshFamilyKey } from "@postern/shared/redis";
import type { Redemption, RefreshFamilies } from "./refresh-families.ts";

/** KEYS: family, denylist entry of the family; both carry its hash tag. ARGV: presented, next, life, denied for. */
const redeemScript = `
local current = redis.call("GET", KEYS[1])
if not current then return "unknown" end
if current ~= ARGV[1] then
  redis.call("DEL", KEYS[1])
  redis.call("SET", KEYS[2], "1", "EX", ARGV[4])
  return "reused"
end
redis.call("SET", KEYS[1], ARGV[2], "EX", ARGV[3])
return "redeemed"
`;

const redemptions: readonly Redemption[] = ["redeemed", "unknown", "reused"];

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "refresh tokens cannot be redeemed", cause });
}

export function createRefreshFamilies(redis: RedisClient, prefix: string): RefreshFamilies {
  return {
    begin: async (family, first, ttlSeconds) => {
      try {
        await redis.set(refreshFamilyKey.build(prefix, family), first, "EX", ttlSeconds);
      } catch (error) {
        throw unavailable(error);
      }
    },
    redeem: async ({ family, presented, next, ttlSeconds, denySeconds }) => {
      const keys = [refreshFamilyKey.build(prefix, family), deniedTokenKey.build(prefix, family)];
      const result = await redis
        .eval(redeemScript, keys.length, ...keys, presented, next, ttlSeconds, denySeconds)
        .catch((error: unknown) => Promise.reject(unavailable(error)));
      const redemption = redemptions.find((name) => name === result);
      if (redemption === undefined) throw unavailable(undefined);
      return redemption;
    },
  };
}
