import { factorLockKeys, type LockableFactor, lockableFactors } from "@postern/shared/domain/factor-locks";
import { AppError } from "@postern/shared/platform/errors";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";

type Counts = Readonly<Partial<Record<LockableFactor, number>>>;

/** Limits of the identity provider. */
export interface FactorLimitSettings {
  readonly maxAttempts: number;
  readonly maxFailures: number;
}

/** Why a second factor is not accepted now. Without an end, until an operator unlocks it. */
export interface FactorLimit {
  readonly factor: LockableFactor;
  readonly count: number;
  readonly endMs: number | undefined;
}

/** Counts of consecutive wrong codes of accounts, for operators who unlock factors. */
export interface FactorLocks {
  /**
   * Resets the account's counts to zero, whether or not a factor was locked. Repeatable.
   *
   * @returns consecutive wrong codes before the reset, for each factor that had any
   * @throws AppError REDIS_UNAVAILABLE
   */
  lift(account: string): Promise<Counts>;
  /**
   * Consecutive wrong codes now.
   *
   * @throws AppError REDIS_UNAVAILABLE
   */
  read(account: string): Promise<Counts>;
  /**
   * The limits that the account's factors have reached.
   *
   * @throws AppError REDIS_UNAVAILABLE
   */
  limits(account: string): Promise<readonly FactorLimit[]>;
}

const ofEach = async (count: (factor: LockableFactor) => Promise<number>) => {
  const counts = await Promise.all(lockableFactors.map(async (factor) => [factor, await count(factor)] as const));
  return Object.fromEntries(counts.filter(([, wrong]) => wrong > 0));
};

export function createFactorLocks(
  redis: RedisClient,
  keyPrefix: string,
  settings: () => FactorLimitSettings,
  clock: Clock,
): FactorLocks {
  const liftOne = async (account: string, factor: LockableFactor): Promise<number> => {
    const { attempts, failures } = factorLockKeys(keyPrefix, account, factor);
    const [counted] = await Promise.all([redis.getdel(failures), redis.del(attempts)]);
    return Number(counted ?? 0);
  };
  const countOf = async (account: string, factor: LockableFactor): Promise<number> =>
    Number((await redis.get(factorLockKeys(keyPrefix, account, factor).failures)) ?? 0);
  const limitOf = async (account: string, factor: LockableFactor): Promise<readonly FactorLimit[]> => {
    const { maxAttempts, maxFailures } = settings();
    const keys = factorLockKeys(keyPrefix, account, factor);
    const [failures, attempts, leftMs] = await Promise.all([
      redis.get(keys.failures),
      redis.get(keys.attempts),
      redis.pttl(keys.attempts),
    ]);
    if (Number(failures ?? 0) >= maxFailures) return [{ factor, count: Number(failures), endMs: undefined }];
    const isThrottled = Number(attempts ?? 0) >= maxAttempts && leftMs > 0;
    return isThrottled ? [{ factor, count: Number(attempts), endMs: clock.now() + leftMs }] : [];
  };
  return {
    limits: async (account) => {
      try {
        return (await Promise.all(lockableFactors.map((factor) => limitOf(account, factor)))).flat();
      } catch (cause) {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "limits of second factors cannot be read", cause });
      }
    },
    read: async (account) => {
      try {
        return await ofEach((factor) => countOf(account, factor));
      } catch (cause) {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "counts of wrong codes cannot be read", cause });
      }
    },
    lift: async (account) => {
      try {
        return await ofEach((factor) => liftOne(account, factor));
      } catch (cause) {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "a second factor could not be unlocked", cause });
      }
    },
  };
}
