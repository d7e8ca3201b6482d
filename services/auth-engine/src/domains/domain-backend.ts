import { comparableDomain, type Domain, type KnownDomain } from "@postern/shared/domain/domains";
import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { Backend, BackendAccount, BackendContext, BackendQuery, VerifyOutcome } from "../backends/backend.ts";
import type { FindOutcome, MfaAccount, MfaQuery, SecondFactorStore } from "../backends/second-factor-store.ts";
import { type Addresses, createOwnAddresses } from "./own-addresses.ts";

/** How one domain names its accounts. */
export interface AccountNames {
  /** The names under which a backend may have the account of this name, in the order in which they are sought. */
  readonly forms: (username: string) => readonly [string, ...string[]];
  /**
   * The name of an account that a backend returned, unique among all domains.
   *
   * @throws AppError DIRECTORY_UNAVAILABLE if the account belongs to another domain, which is a fault of the backend
   */
  readonly own: (account: string, backend: string) => string | Promise<string>;
  /**
   * The identifier of an account, unique among all domains: customers choose those in their own directories, and could choose that of an
   * account elsewhere.
   */
  readonly ownId: (uniqueUserId: string, backend: string) => string;
  /** The attributes of an account, without what a customer's directory has no say about. */
  readonly ownAttributes: (
    account: BackendAccount,
    backend: string,
  ) => BackendAccount["attributes"] | Promise<BackendAccount["attributes"]>;
}

export interface Naming {
  /** `auth.domains.default_domain`, whose accounts may have names without a domain; empty if there is none. */
  readonly defaultName: string;
  /** The domain of an account. Throws and rejects if the source of the records cannot tell. */
  readonly domainOf: (account: string) => Domain | Promise<Domain>;
  /** Whether a domain has this backend. */
  readonly isServedBy: (domain: Domain, backend: string) => boolean;
  /** Whether the site, and no customer, chooses the identifiers in a backend: those of `auth.backends.order`. */
  readonly isOfSite: (backend: string) => boolean;
  /** A backend returned an account of another domain. */
  readonly onForeign: (account: string, backend: string, domain: string) => void;
  /** Which addresses backends of customers may name. */
  readonly addresses: Addresses;
}

/** The name's forms in a domain: under its name, under its aliases, and without a domain where accounts may have such names. */
function formsIn({ name, aliases }: KnownDomain, isDefault: boolean) {
  return (username: string): readonly [string, ...string[]] => {
    if (name === "") return [username];
    const at = username.lastIndexOf("@");
    const local = at === -1 ? username : username.slice(0, at);
    const others = aliases.map((alias) => `${local}@${alias}`);
    return [`${local}@${name}`, ...others, ...(isDefault ? [local] : [])];
  };
}

export function accountNamesOf(domain: KnownDomain, naming: Naming): AccountNames {
  const { name, aliases, origin } = domain;
  const { defaultName, domainOf, isServedBy, isOfSite, onForeign, addresses } = naming;
  const ownAddresses = createOwnAddresses(domain, { ...addresses, domainOf, isServedBy });
  const isDefault = defaultName !== "" && (name === defaultName || aliases.includes(defaultName));
  // Without a default domain, accounts that share the rules of `auth.domains.default` have unique names, as they do without domains.
  const keepsBare = name === "" || isDefault || (origin === "default" && defaultName === "");
  const judged = (account: string, backend: string, of: Domain): string => {
    // A name without a domain may be another name of an account with one.
    const isOwn = name === "" ? isServedBy(of, backend) : of.isKnown && of.name === name;
    if (isOwn) return account;
    onForeign(account, backend, name);
    throw new AppError("DIRECTORY_UNAVAILABLE", { detail: `${backend} returned an account of another domain` });
  };
  return {
    forms: formsIn(domain, isDefault),
    own: (account, backend) => {
      const at = account.lastIndexOf("@");
      if (at === -1) return keepsBare ? account : `${account}@${name}`;
      if (comparableDomain(account.slice(at + 1)) === name) return account;
      // What an alias stands for is decided where names are placed: a record could claim an alias that another domain has.
      const of = domainOf(account);
      return of instanceof Promise ? of.then((found) => judged(account, backend, found)) : judged(account, backend, of);
    },
    ownId: (id, backend) => (id === "" || name === "" || isOfSite(backend) ? id : `${id}@${name}`),
    ownAttributes: (found, backend) => (isOfSite(backend) ? found.attributes : ownAddresses(found, backend)),
  };
}

type Outcome = { readonly kind: string };

/**
 * Seeks one form of a name after the other, until one is known. A denial of another server leaves open whether it knows the form, so the next
 * one is sought too.
 */
async function untilKnown<Found extends Outcome>(
  forms: readonly [string, ...string[]],
  ask: (username: string) => Promise<Found>,
): Promise<{ readonly outcome: Found; readonly left: readonly string[] }> {
  const [first, ...others] = forms;
  let outcome = await ask(first);
  for (const [index, next] of others.entries()) {
    if (outcome.kind !== "unknown_user" && outcome.kind !== "denied") return { outcome, left: others.slice(index) };
    const found = await ask(next);
    if (found.kind !== "unknown_user") outcome = found;
  }
  return { outcome, left: [] };
}

function domainFactors(store: SecondFactorStore, names: AccountNames, backend: string): SecondFactorStore {
  const named = async (account: MfaAccount): Promise<MfaAccount> => {
    const { uniqueUserId: id } = account;
    const own = await names.own(account.account, backend);
    return { ...account, account: own, uniqueUserId: id === undefined ? undefined : names.ownId(id, backend) };
  };
  const formsOf = ({ username }: MfaQuery) => names.forms(username);
  return {
    findAccount: async (query, context) => {
      // All together, so that the time does not reveal which form is known, if any is: app passwords are checked after it.
      const answers = await Promise.allSettled(
        formsOf(query).map((username) => store.findAccount({ ...query, username }, context)),
      );
      let outcome: FindOutcome = { kind: "unknown_user" };
      for (const answer of answers) {
        if (answer.status === "rejected") throw fromUnknown(answer.reason);
        outcome = answer.value;
        if (outcome.kind === "ok") return { ...outcome, account: await named(outcome.account) };
      }
      return outcome;
    },
    pretendAccount: (query, context) => store.pretendAccount({ ...query, username: formsOf(query)[0] }, context),
    findHolders: async (search, query, context) => {
      const forms = search.by === "name" ? formsOf(query) : [query.username];
      const found = await Promise.all(
        forms.map((username) => store.findHolders(search, { ...query, username }, context)),
      );
      // An account of another domain holds the credential too; whoever uses the name seeks it in its own domain.
      const own = found.flat().map(async (holder) => {
        const isNamed = holder.account.includes("@");
        return isNamed ? holder : { ...holder, account: await names.own(holder.account, backend) };
      });
      return Promise.all(own);
    },
  };
}

function under(query: BackendQuery, username: string): BackendQuery {
  return { ...query, username };
}

/**
 * A backend as one domain sees it: names are sought under all forms, and accounts of other domains are refused. Only the calls about one
 * name differ.
 */
export function createDomainBackend(backend: Backend, names: AccountNames): Backend {
  const owned = async (account: BackendAccount): Promise<BackendAccount> => {
    const { uniqueUserId: id, accountField } = account;
    const own = await names.own(account.account, backend.name);
    const attributes = await names.ownAttributes({ ...account, account: own }, backend.name);
    // Callers read the account's name from this attribute.
    const isReleased = own !== account.account && Object.hasOwn(account.attributes, accountField);
    return {
      ...account,
      account: own,
      attributes: isReleased ? { ...attributes, [accountField]: [own] } : attributes,
      ...(id !== undefined && { uniqueUserId: names.ownId(id, backend.name) }),
    };
  };
  const ownOutcome = async (outcome: VerifyOutcome): Promise<VerifyOutcome> => {
    if (outcome.kind === "ok") return { ...outcome, account: await owned(outcome.account) };
    if (!("account" in outcome) || outcome.account === undefined) return outcome;
    return { ...outcome, account: await names.own(outcome.account, backend.name) };
  };
  return {
    ...backend,
    ...(backend.mfa !== undefined && { mfa: domainFactors(backend.mfa, names, backend.name) }),
    verify: async (query, password, context) => {
      const { outcome, left } = await untilKnown(names.forms(query.username), (username) =>
        backend.verify(under(query, username), password, context),
      );
      // An unknown name is sought under all forms: without this, the time would reveal that an earlier one is known.
      if (outcome.kind !== "ok")
        for (const username of left) await backend.lookup(under(query, username), context).catch(() => undefined);
      return ownOutcome(outcome);
    },
    lookup: async (query, context) => {
      const { outcome } = await untilKnown(names.forms(query.username), (username) =>
        backend.lookup(under(query, username), context),
      );
      return outcome.kind === "ok" ? { ...outcome, account: await owned(outcome.account) } : outcome;
    },
    spendVerification: (query, password, context: BackendContext) =>
      backend.spendVerification(under(query, names.forms(query.username)[0]), password, context),
  };
}
