import type { authPolicyReset, Reply, Request } from "@postern/shared/contracts";
import type { BruteForceRecords } from "@postern/shared/domain/brute-force";
import { AppError } from "@postern/shared/platform/errors";

/**
 * Removes the bans and counts of an address, and for an account its delay and the bans of the addresses that sent wrong
 * passwords for it.
 *
 * @throws AppError REDIS_UNAVAILABLE: a part may have been removed; the whole may be repeated.
 * @param records absent if `auth.controls.enabled` does not list brute-force protection.
 */
export function createResetCounts(records: () => Pick<BruteForceRecords, "flush" | "flushAccount"> | undefined) {
  return async ({ address, username }: Request<typeof authPolicyReset>): Promise<Reply<typeof authPolicyReset>> => {
    const stored = records();
    if (stored === undefined) return { removed: 0 };
    try {
      const ofAddress = address === undefined ? [] : await stored.flush({ ipAddress: address, ruleName: "*" });
      const ofAccount = username === undefined ? [] : await stored.flushAccount(username);
      return { removed: ofAddress.length + ofAccount.length };
    } catch (cause) {
      throw cause instanceof AppError
        ? cause
        : new AppError("REDIS_UNAVAILABLE", { detail: "some keys could not be removed", cause });
    }
  };
}
