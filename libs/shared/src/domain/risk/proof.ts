import { isRecentReview, type ReviewedSignIn } from "./review.ts";
import type { RiskSettings } from "./risk-settings.ts";

/**
 * The minute since which a factor exists that was enrolled before enrolments were recorded: it is older than every doubt.
 * An unknown age of anything else is `undefined`, which is older than none.
 */
export const beforeRecords = 0;

/**
 * The minute of the account's earliest unconfirmed suspicious sign-in; undefined if there is none. It remains until all are
 * confirmed, or until none has come for a week: neither further sign-ins nor a rejection, which the password alone permits, move it.
 */
export function earliestUnanswered(
  reviews: readonly ReviewedSignIn[] | undefined,
  nowMinute: number,
): number | undefined {
  if (reviews?.some((one) => isRecentReview(one, nowMinute)) !== true) return undefined;
  return Math.min(
    ...reviews.map(({ minute, firstMinute, earlierMinute }) =>
      Math.min(minute, firstMinute ?? minute, earlierMinute ?? minute),
    ),
  );
}

/**
 * Whether a factor, remembered device, session, app password or grant that exists since the minute `since` proves that the user, and not
 * an attacker with the password, made the doubted sign-ins. True if nothing is doubted.
 */
export function isOlderThanDoubt(
  since: number | undefined,
  earliest: number | undefined,
  { knownAfterMinutes }: Pick<RiskSettings, "knownAfterMinutes">,
): boolean {
  if (earliest === undefined || since === beforeRecords) return true;
  return since !== undefined && since + Math.max(1, knownAfterMinutes) <= earliest;
}
