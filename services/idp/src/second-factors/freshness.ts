import type { BrowserSessionRecord } from "../sessions/browser-session.ts";

/** How long after a sign-in factors may be changed. */
const freshSeconds = 600;

/**
 * Whether the user has authenticated recently, with a second factor if the account has one. An open session, or the
 * password alone, is not enough to change factors.
 */
export function isFresh(
  { loginTs, mfaTs }: Pick<BrowserSessionRecord, "loginTs" | "mfaTs">,
  hasFactor: boolean,
  nowSeconds: number,
): boolean {
  const provedAt = hasFactor ? mfaTs : loginTs;
  return provedAt !== undefined && nowSeconds - provedAt <= freshSeconds;
}
