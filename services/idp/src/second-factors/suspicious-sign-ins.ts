import { isOlderThanDoubt, type ReviewedSignIn } from "@postern/shared/domain/risk";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { isFresh } from "./freshness.ts";

/** Suspicious sign-ins, which users confirm or reject. Undefined in an idp without detection. */
export interface SuspiciousSignIns {
  /** Newest first. */
  list(account: string): Promise<readonly ReviewedSignIn[]>;
  /** The minute of the earliest one that is not confirmed; undefined if there is none. */
  earliestUnanswered(account: string): Promise<number | undefined>;
  /** `device`: digest of the browser's device cookie, empty if it has none. @returns whether there is such a sign-in */
  confirm(account: string, network: string, device: string): Promise<boolean>;
  /** None of them was the user. */
  reject(account: string): Promise<void>;
  /** How much older than the earliest one a proof must be, in minutes. */
  readonly knownAfterMinutes: () => number;
}

/** What a session says about its user. */
export type SessionFacts = Pick<BrowserSessionRecord, "loginTs" | "mfaTs" | "factor" | "isDoubted">;

export interface Doubt {
  /** See `earliestUnanswered`. */
  readonly earliest: number | undefined;
  readonly knownAfterMinutes: number;
}

const minuteSeconds = 60;

/**
 * With what a session proves that its user, and not only someone with the password, is there: a second factor that was verified recently,
 * or the browser, if they are older than the doubt. Undefined if it does not.
 */
export function proofOf(
  session: SessionFacts,
  doubt: Doubt,
  nowMs: number,
): "second_factor" | "known_device" | undefined {
  const { loginTs, factor, isDoubted } = session;
  const isOld = (since: number | undefined): boolean =>
    since !== undefined && isOlderThanDoubt(since, doubt.earliest, doubt);
  if (isFresh(session, true, Math.floor(nowMs / 1000)) && isOld(factor?.since)) return "second_factor";
  return isDoubted !== true && isOld(Math.floor(loginTs / minuteSeconds)) ? "known_device" : undefined;
}

/** Whether what this session sets up is doubted for as long as it exists. */
export function isUnderDoubt(session: SessionFacts, doubt: Doubt, nowMs: number): boolean {
  if (doubt.earliest === undefined && session.isDoubted !== true) return false;
  return proofOf(session, doubt, nowMs) === undefined;
}
