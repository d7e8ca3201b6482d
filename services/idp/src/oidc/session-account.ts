import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { OidcAccount } from "./accounts.ts";

/** What claims are made of, as the sign-in of this session told it. */
export function accountOfSession(session: BrowserSessionRecord | undefined): OidcAccount | undefined {
  if (session === undefined) return undefined;
  const { accountId, account, displayName, attributes = {}, amr = [] } = session;
  const method = amr.find((name) => name !== "pwd" && name !== "mfa");
  return {
    accountId,
    account,
    attributes,
    ...(displayName !== undefined && { displayName }),
    ...(method !== undefined && { mfaMethod: method }),
    mfaCompleted: amr.includes("mfa"),
  };
}
