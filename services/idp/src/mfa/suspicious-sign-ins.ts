import type { ReviewedSignIn } from "@postern/shared/domain/risk";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import { isFresh } from "./freshness.ts";

/** Suspicious sign-ins, which users confirm or reject. Undefined in an idp without detection. */
export interface SuspiciousSignIns {
  /** Newest first. */
  list(account: string): Promise<readonly ReviewedSignIn[]>;
  /** `device`: digest of the browser's device cookie, empty if it has none. @returns whether there is such a sign-in */
  confirm(account: string, network: string, device: string): Promise<boolean>;
  /** None of them was the user. */
  reject(account: string): Promise<void>;
  /** Age from which a device counts as known, in minutes. */
  readonly knownAfterMinutes: () => number;
}

const minuteSeconds = 60;

/** An attacker has the password, and may have signed in with it on the web shortly before. */
export function isKnownDevice(
  { loginTs }: Pick<BrowserSessionRecord, "loginTs">,
  { minute }: Pick<ReviewedSignIn, "minute">,
  knownAfterMinutes: number,
): boolean {
  return Math.floor(loginTs / minuteSeconds) + knownAfterMinutes <= minute;
}

/** Whether a second factor was verified recently. */
export function isProven(session: Pick<BrowserSessionRecord, "loginTs" | "mfaTs">, nowMs: number): boolean {
  return isFresh(session, true, Math.floor(nowMs / 1000));
}
