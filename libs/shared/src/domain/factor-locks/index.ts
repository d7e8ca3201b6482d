export {
  accountDigest,
  type FactorLockKeys,
  factorLockKeys,
  type LockableFactor,
  lockableFactors,
} from "./lock-keys.ts";
