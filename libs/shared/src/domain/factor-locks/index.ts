export { createFactorLocks, type FactorLocks } from "./factor-locks.ts";
export { accountDigest, type FactorLockKeys, factorLockKeys, type LockableFactor } from "./lock-keys.ts";
