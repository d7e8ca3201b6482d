import { digestOf } from "../../platform/crypto/index.ts";
import { factorAttemptsKey, factorFailuresKey, otherFactorAttemptsKey } from "../../platform/redis/keys/browser.ts";

/** Factors that lock after too many wrong codes. */
export const lockableFactors = ["totp", "recovery"] as const;
export type LockableFactor = (typeof lockableFactors)[number];

export function accountDigest(account: string): string {
  return digestOf(account).toString("base64url");
}

/** Counts of an account's attempts at one factor; the keys share a slot. */
export function factorLockKeys(keyPrefix: string, account: string, method: LockableFactor | "webauthn") {
  const digest = accountDigest(account);
  return {
    /** Attempts within the window. TOTP uses the key with which earlier versions count all factors. */
    attempts:
      method === "totp"
        ? factorAttemptsKey.build(keyPrefix, digest)
        : otherFactorAttemptsKey.build(keyPrefix, digest, method),
    /** Consecutive wrong codes. */
    failures: factorFailuresKey.build(keyPrefix, digest, method),
    windowSeconds: factorAttemptsKey.ttlSeconds,
    failuresSeconds: factorFailuresKey.ttlSeconds,
  };
}
