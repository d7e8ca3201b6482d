import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { OidcAccount } from "./accounts-redis.ts";

/** The account as it was at the sign-in of this session. */
export function accountOfSession(session: BrowserSessionRecord | undefined): OidcAccount | undefined {
  if (session === undefined || session.lacksSubject === true) return undefined;
  const { accountId, account, displayName, attributes = {}, groups, groupDns, amr = [] } = session;
  const method = amr.find((name) => name !== "pwd" && name !== "mfa");
  return {
    accountId,
    account,
    attributes,
    ...(displayName !== undefined && { displayName }),
    ...(groups !== undefined && { groups }),
    ...(groupDns !== undefined && { groupDns }),
    ...(method !== undefined && { mfaMethod: method }),
    mfaCompleted: amr.includes("mfa"),
  };
}
