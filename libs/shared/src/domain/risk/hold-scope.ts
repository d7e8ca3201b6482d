import type { Hold } from "./account-facts.ts";
import { earliestUnanswered, isOlderThanDoubt } from "./proof.ts";
import type { ReviewedSignIn } from "./review.ts";
import type { RiskSettings } from "./risk-settings.ts";

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
