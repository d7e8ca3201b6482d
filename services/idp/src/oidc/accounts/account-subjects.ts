import type { OidcAccounts } from "./accounts-redis.ts";

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
