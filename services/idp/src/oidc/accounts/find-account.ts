import type { BrowserSessions } from "../../sessions/session-store-redis.ts";
import type { OidcAccount, OidcAccounts } from "./accounts-redis.ts";
import { accountOfSession } from "./session-account.ts";
/** The account of a subject. An account that is new to OIDC is taken from the session and stored. */
export type FindAccount = (accountId: string, sessionUid: string | undefined) => Promise<OidcAccount | undefined>;

export function createFindAccount(
  accounts: Pick<OidcAccounts, "find" | "save">,
  sessions: Pick<BrowserSessions, "findByUid">,
): FindAccount {
  return async (accountId, sessionUid) => {
    const known = await accounts.find(accountId);
    if (known !== undefined || sessionUid === undefined) return known;
    // Signed in through another protocol: this is the first OIDC client of the session.
    const account = accountOfSession(await sessions.findByUid(sessionUid));
    if (account?.accountId !== accountId) return undefined;
    await accounts.save(account);
    return account;
  };
}
