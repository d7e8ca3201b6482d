export { accountDigest, factorLockKeys, type LockableFactor, lockableFactors } from "./lock-keys.ts";
