import { factorLockKeys, type LockableFactor, lockableFactors } from "@postern/shared/domain/factor-locks";
import { decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";
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

const ofLimits = decidedInRedis("limits of second factors cannot be read");
const ofCounts = decidedInRedis("counts of wrong codes cannot be read");
const ofUnlocking = decidedInRedis("a second factor could not be unlocked");

const ofEach = async (count: (factor: LockableFactor) => Promise<number>) => {
  const counts = await Promise.all(lockableFactors.map(async (factor) => [factor, await count(factor)] as const));
  return Object.fromEntries(counts.filter(([, wrong]) => wrong > 0));
};

/** Counts of consecutive wrong codes of accounts, for operators who unlock factors. Every method throws AppError REDIS_UNAVAILABLE. */
export function createFactorLocks(
  redis: RedisClient,
  keyPrefix: string,
  settings: () => FactorLimitSettings,
  clock: Clock,
) {
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
    /** The limits that the account's factors have reached. */
    limits: (account: string): Promise<readonly FactorLimit[]> =>
      ofLimits(async () => (await Promise.all(lockableFactors.map((factor) => limitOf(account, factor)))).flat()),
    /** Consecutive wrong codes now. */
    read: (account: string): Promise<Counts> => ofCounts(() => ofEach((factor) => countOf(account, factor))),
    /**
     * Resets the account's counts to zero, whether or not a factor was locked. Repeatable.
     *
     * @returns consecutive wrong codes before the reset, for each factor that had any
     */
    lift: (account: string): Promise<Counts> => ofUnlocking(() => ofEach((factor) => liftOne(account, factor))),
  };
}

export type FactorLocks = ReturnType<typeof createFactorLocks>;
