import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { TokenSubject } from "@postern/shared/domain/tokens";
import { AppError } from "@postern/shared/platform/errors";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import type { SubjectsOfAccount } from "../accounts/accounts.ts";
import type { OidcAccounts } from "../accounts/accounts-redis.ts";
import type { ClientPolicies } from "../clients/clients.ts";

const clientPrefix = "client:";

/** User ids that select a client's own tokens. */
export function clientNames(clientId: string): readonly string[] {
  return [clientId, `${clientPrefix}${clientId}`];
}

export interface Owners {
  /** Account names, which select browser sessions. */
  readonly accounts: readonly string[];
  /** Subjects, which select tokens. */
  readonly subjects: readonly TokenSubject[];
}

/**
 * Resolves a `user_id` of the admin routes. Rejects when the store is unavailable, or when nothing is known under this name and a backend
 * cannot say whose it is.
 *
 * The account with that name; if none is known, the account that the backends find under it; and the account with that subject. An account includes all its subjects. Also
 * the client with that id, unless a user has the name. `client:<client_id>` selects only the client, if it is registered
 * and no user has that name.
 */
export function createOwnersOf({
  accountNames,
  accounts,
  subjectsOfAccount,
  sessions,
  policies,
}: {
  readonly accountNames: FindAccountNames;
  readonly accounts: Pick<OidcAccounts, "find" | "subjectsOf">;
  readonly subjectsOfAccount: SubjectsOfAccount;
  readonly sessions: Pick<SessionStore, "list">;
  readonly policies: () => ClientPolicies;
}) {
  /** An account name may equal the subject of another account, which must then not be selected. */
  const userNamed = async (id: string): Promise<Owners & { readonly isKnown: boolean }> => {
    const [holder, mapped, signedIn] = await Promise.all([
      accounts.find(id),
      accounts.subjectsOf(id),
      sessions.list(id),
    ]);
    const isOfHolder = ({ accountId, lacksSubject }: BrowserSessionRecord): boolean =>
      holder !== undefined && accountId === id && lacksSubject !== true;
    const isAccount = mapped.length > 0 || !signedIn.every(isOfHolder);
    const account = holder === undefined || isAccount ? id : holder.account;
    const isSubject = account !== id;
    // Also by the subject: sessions from before a rename carry the earlier account name.
    const names = isSubject ? [id, account] : [id];
    const subjects = new Set([...(isSubject ? [id] : []), ...(await subjectsOfAccount(account))]);
    const isKnown = holder !== undefined || isAccount;
    return { accounts: names, subjects: [...subjects].map((user) => ({ kind: "user", id: user })), isKnown };
  };
  /** The backends compare names as they do at a sign-in: in any letter case, under an alias. */
  const spelledOtherwise = async (typed: string): Promise<Owners> => {
    const { accounts: names, isComplete } = await accountNames(typed);
    if (!isComplete && names.length === 0)
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account behind the name could not be looked up" });
    const all = await Promise.all([...new Set([typed, ...names])].map(userNamed));
    return { accounts: all.flatMap((one) => one.accounts), subjects: all.flatMap((one) => one.subjects) };
  };
  return async (userId: string): Promise<Owners> => {
    const { isKnown, ...known } = await userNamed(userId);
    const named = userId.startsWith(clientPrefix) ? userId.slice(clientPrefix.length) : undefined;
    const isAlone = named !== undefined && policies().has(named);
    const client = isAlone ? named : userId;
    if (isKnown) return known;
    if (!policies().has(client)) return spelledOtherwise(userId);
    const user = known;
    const itself: TokenSubject = { kind: "client", id: client };
    return isAlone ? { accounts: [], subjects: [itself] } : { ...user, subjects: [...user.subjects, itself] };
  };
}
