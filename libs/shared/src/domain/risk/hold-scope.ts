import type { Hold } from "./account-facts.ts";
import { earliestOf, isRecentReview, type ReviewedSignIn } from "./review.ts";
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
  return reviews?.some((one) => isRecentReview(one, nowMinute)) === true ? earliestOf(reviews) : undefined;
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

/** A credential that an attacker with the password may have obtained with it. */
export interface ObtainedCredential {
  readonly kind: "app_password" | "token";
  /**
   * Seconds since the epoch: the creation of an app password, or the sign-in from which a token descends, however often it was refreshed.
   * Undefined if unknown: it may then be as young as the doubt.
   */
  readonly since: number | undefined;
}

interface Doubt {
  readonly hold: Hold;
  /** Undefined if they are lost or were written by another version. */
  readonly reviews: readonly ReviewedSignIn[] | undefined;
  readonly minute: number;
}

/**
 * Whether a hold, which always covers the password, also covers this credential. What is older than the earliest unanswered suspicious
 * sign-in was not obtained by the one who made it.
 */
export function coversCredential(
  { kind, since }: ObtainedCredential,
  { hold, reviews, minute }: Doubt,
  settings: Pick<RiskSettings, "holdMinutes" | "knownAfterMinutes">,
): boolean {
  // An app password can be stolen too, and is older than the doubt that it raises.
  if (kind === "app_password" && reviews?.some(({ credentialSince }) => credentialSince === since) === true)
    return true;
  // Without a suspicious sign-in, the hold itself shows when the doubt began.
  const earliest = earliestUnanswered(reviews, minute) ?? hold.untilMinute - settings.holdMinutes;
  return !isOlderThanDoubt(since === undefined ? undefined : Math.floor(since / 60), earliest, settings);
}
