import type { IsRefused } from "../../domains/refused-accounts.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { BrowserSessions } from "../../sessions/session-store-redis.ts";
import type { OidcAccount, OidcAccounts } from "./accounts-redis.ts";

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

/** The account of a subject; undefined for one that is refused. An account that is new to OIDC is taken from the session and stored. */
export function createFindAccount(
  accounts: Pick<OidcAccounts, "find" | "save">,
  sessions: Pick<BrowserSessions, "findByUid">,
  isRefused: IsRefused,
) {
  return async (accountId: string, sessionUid: string | undefined): Promise<OidcAccount | undefined> => {
    const known = await accounts.find(accountId);
    if (known !== undefined && (await isRefused(known.account))) return undefined;
    if (known !== undefined || sessionUid === undefined) return known;
    // Signed in through another protocol: this is the first OIDC client of the session.
    const account = accountOfSession(await sessions.findByUid(sessionUid));
    if (account?.accountId !== accountId) return undefined;
    await accounts.save(account);
    return account;
  };
}

/** Every subject of an account. Rejects when the store is unavailable. */
export type SubjectsOfAccount = (account: string) => Promise<readonly string[]>;

/** Includes the account name, the subject of unmapped accounts and older tokens, unless it is the subject of another account. */
export function createSubjectsOfAccount({
  find,
  subjectsOf,
}: Pick<OidcAccounts, "find" | "subjectsOf">): SubjectsOfAccount {
  return async (account) => {
    const [holder, mapped] = await Promise.all([find(account), subjectsOf(account)]);
    const isTheirs = holder === undefined || holder.account === account;
    return [...new Set([...(isTheirs ? [account] : []), ...mapped])];
  };
}
