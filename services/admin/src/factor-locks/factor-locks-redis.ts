import { factorLockKeys, type LockableFactor, lockableFactors } from "@postern/shared/domain/factor-locks";
import { AppError } from "@postern/shared/platform/errors";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { FactorLocks } from "./factor-locks.ts";

export function createFactorLocks(redis: RedisClient, keyPrefix: string): FactorLocks {
  const liftOne = async (account: string, factor: LockableFactor): Promise<number> => {
    const { attempts, failures } = factorLockKeys(keyPrefix, account, factor);
    const [counted] = await Promise.all([redis.getdel(failures), redis.del(attempts)]);
    return Number(counted ?? 0);
  };
  return {
    lift: async (account) => {
      try {
        const counts = await Promise.all(
          lockableFactors.map(async (factor) => [factor, await liftOne(account, factor)] as const),
        );
        return Object.fromEntries(counts.filter(([, count]) => count > 0));
      } catch (cause) {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "a second factor could not be unlocked", cause });
      }
    },
  };
}
