import type { OperatorRight } from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import type { Domains } from "@postern/shared/domain/domains";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import { AppError } from "@postern/shared/platform/errors";
import { isAbove } from "./operator-right.ts";
import type { FindRole } from "./role-lookup.ts";

/**
 * The account behind a typed name, and whether an operator may act on it. `higher`: an account of this name has the same role or a higher
 * one; `unread`: its role cannot be read, because it is disabled or the search of the sign-in pages does not find it; `unknown`: no backend
 * has an account of this name, so `account` is the name as typed.
 */
export interface Reach {
  readonly kind: "allowed" | "own" | "higher" | "unread" | "unknown";
  readonly account: string;
}

interface ReachingOperator extends OperatorRight {
  readonly account: string;
  readonly session: string;
}

/** The domains of the site; absent while all are decided by `auth.backends.order`. */
type CurrentDomains = () => Pick<Domains, "placeFor"> | undefined;

/** More names than one account has; a site's searches could name others without end. */
const maxNames = 8;

const undecided = (detail: string) => new AppError("UPSTREAM_UNAVAILABLE", { detail });

/** Every account that an operation on the name changes: a search may name another account than the search of another protocol. */
function createFindAll(accountNames: FindAccountNames) {
  return async (typed: string): Promise<readonly string[]> => {
    const found = new Set<string>();
    const queried = new Set<string>();
    let next: readonly string[] = [typed];
    while (next.length > 0) {
      if (queried.size + next.length > maxNames) throw undecided("the name stands for too many accounts");
      const answers = await Promise.all(next.map((name) => accountNames(name)));
      if (answers.some(({ isComplete }) => !isComplete))
        throw undecided("a backend cannot say whether it has the account");
      for (const name of next) queried.add(name);
      for (const { accounts } of answers) for (const account of accounts) found.add(account);
      next = [...found].filter((account) => !queried.has(account));
    }
    return [...found];
  };
}

/** The name as the site spells it; undefined if an operator of one domain may not see its account. */
function createPlace(domains: CurrentDomains) {
  return async ({ domain }: OperatorRight, name: string): Promise<string | undefined> => {
    if (domain === undefined) return name;
    const placed = await domains()?.placeFor({ domains: [domain], defaultDomain: domain }, name);
    return placed?.domain.isKnown === true ? placed.username : undefined;
  };
}

export function createFindReach(
  findRole: FindRole,
  accountNames: FindAccountNames,
  domains: CurrentDomains = () => undefined,
) {
  const findAll = createFindAll(accountNames);
  const place = createPlace(domains);
  /** @throws AppError if an engine or a backend that may know the name does not answer: it is then not known to be without a role */
  return async (operator: ReachingOperator, name: string): Promise<Reach> => {
    const { account: own, session } = operator;
    const typed = await place(operator, name);
    // Before any backend is asked: not even the time tells whether another domain has the account.
    if (typed === undefined) return { kind: "unknown", account: name };
    const accounts = await findAll(typed);
    const [first] = accounts;
    if (first === undefined) return { kind: "unknown", account: typed };
    const known = await Promise.all(accounts.map((account) => findRole(account, session)));
    // Counts and facts about accounts are stored under folded names, which another account of an exact backend may have.
    const sharers = await Promise.all([...new Set(accounts.map(foldedName))].map((name) => findRole(name, session)));
    const isOwn = (name: string): boolean => foldedName(name) === foldedName(own);
    const [account] = known.flatMap((one) => (one.isUnknown === true ? [] : [one.account]));
    const reach = { account: account ?? first };
    if ([...accounts, ...known.map((one) => one.account)].some(isOwn)) return { ...reach, kind: "own" };
    if ([...known, ...sharers].some((one) => !isAbove(operator, one.right))) return { ...reach, kind: "higher" };
    return { ...reach, kind: known.some(({ isUnknown }) => isUnknown === true) ? "unread" : "allowed" };
  };
}

export type FindReach = ReturnType<typeof createFindReach>;
