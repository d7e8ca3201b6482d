import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";

/** For this long after a sign-in factors may be changed. */
const freshSeconds = 600;

/**
 * Whether the user has just proved to be it: by a second factor, where there is one. Whoever finds an open session, or
 * has only the password, changes no factor.
 */
export function isFresh(
  { loginTs, mfaTs }: Pick<BrowserSessionRecord, "loginTs" | "mfaTs">,
  hasFactor: boolean,
  nowSeconds: number,
): boolean {
  const provedAt = hasFactor ? mfaTs : loginTs;
  return provedAt !== undefined && nowSeconds - provedAt <= freshSeconds;
}
