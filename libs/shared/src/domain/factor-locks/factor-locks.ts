import { AppError } from "../../platform/errors/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { factorLockKeys, type LockableFactor, lockableFactors } from "./lock-keys.ts";

/** Counts of consecutive wrong codes of accounts, for operators who unlock factors. */
export interface FactorLocks {
  /**
   * Resets the account's counts to zero, whether or not a factor was locked. Repeatable.
   *
   * @returns consecutive wrong codes before the reset, for each factor that had any
   * @throws AppError REDIS_UNAVAILABLE
   */
  lift(account: string): Promise<Readonly<Partial<Record<LockableFactor, number>>>>;
}

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
