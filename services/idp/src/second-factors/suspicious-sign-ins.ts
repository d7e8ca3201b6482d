import { isOlderThanDoubt, type RiskReviews } from "@postern/shared/domain/risk";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { isFresh } from "./freshness.ts";

/** Suspicious sign-ins, which users confirm or reject. */
export interface SuspiciousSignIns extends Pick<RiskReviews, "list" | "earliestUnanswered" | "confirm" | "reject"> {
  /** Whether one of them is unanswered, or a hold in force. */
  readonly isDoubted: (account: string) => Promise<boolean>;
  /** How much older than the earliest one a proof must be, in minutes. */
  readonly knownAfterMinutes: () => number;
}

/** What a session says about its user. */
export type SessionFacts = Pick<BrowserSessionRecord, "loginTs" | "mfaTs" | "lostPhoneTs" | "factor" | "isDoubted">;

export interface Doubt {
  /** See `earliestUnanswered`. */
  readonly earliest: number | undefined;
  readonly knownAfterMinutes: number;
}

const minuteSeconds = 60;

/**
 * What a session proves with that its user, and not only someone with the password, is there: a second factor that was verified recently,
 * or the browser, if they are older than the doubt. Undefined if it does not.
 */
export function proofOf(
  session: SessionFacts,
  doubt: Doubt,
  nowMs: number,
): "second_factor" | "known_device" | undefined {
  const { loginTs, lostPhoneTs, factor, isDoubted } = session;
  const isOld = (since: number | undefined): boolean =>
    since !== undefined && isOlderThanDoubt(since, doubt.earliest, doubt);
  if (isFresh(session, true, Math.floor(nowMs / 1000)) && isOld(factor?.since)) return "second_factor";
  // Whoever convinced the help desk need not be the owner.
  if (lostPhoneTs !== undefined) return undefined;
  return isDoubted !== true && isOld(Math.floor(loginTs / minuteSeconds)) ? "known_device" : undefined;
}

/** Whether what this session sets up is doubted for as long as it exists. */
export function isUnderDoubt(session: SessionFacts, doubt: Doubt, nowMs: number): boolean {
  if (doubt.earliest === undefined && session.isDoubted !== true) return false;
  return proofOf(session, doubt, nowMs) === undefined;
}
