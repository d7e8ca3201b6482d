import { digestOf } from "../../platform/crypto/index.ts";
import { factorAttemptsKey, factorFailuresKey, otherFactorAttemptsKey } from "../../platform/redis/keys/browser.ts";

/** Factors that lock after too many wrong codes. */
export const lockableFactors = ["totp", "recovery"] as const;
export type LockableFactor = (typeof lockableFactors)[number];

export function accountDigest(account: string): string {
  return digestOf(account).toString("base64url");
}

/** Counts of an account's attempts at one factor; the keys share a slot. */
export interface FactorLockKeys {
  /** Attempts within the window. */
  readonly attempts: string;
  /** Consecutive wrong codes. */
  readonly failures: string;
  readonly windowSeconds: number;
  readonly failuresSeconds: number;
}

export function factorLockKeys(
  keyPrefix: string,
  account: string,
  method: LockableFactor | "webauthn",
): FactorLockKeys {
  const digest = accountDigest(account);
  return {
    // TOTP uses the key with which earlier versions count all factors.
    attempts:
      method === "totp"
        ? factorAttemptsKey.build(keyPrefix, digest)
        : otherFactorAttemptsKey.build(keyPrefix, digest, method),
    failures: factorFailuresKey.build(keyPrefix, digest, method),
    windowSeconds: factorAttemptsKey.ttlSeconds,
    failuresSeconds: factorFailuresKey.ttlSeconds,
  };
}
