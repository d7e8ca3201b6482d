import { type Domain, type Domains, type KnownDomain, unknownDomain } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import type { Backend } from "../backends/backend.ts";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import { type AccountNames, accountNamesOf, createDomainBackend, type Naming } from "./domain-backend.ts";

const unknownUser = { kind: "unknown_user" } as const;

/**
 * Stands in for the backends of a domain that the site does not serve: it knows nobody, and spends as much time on a password as they would.
 * No password reaches a backend.
 */
export function createBackendOfNone(spendVerification: Backend["spendVerification"]): Backend {
  return {
    kind: "cache",
    name: "none",
    verify: async () => unknownUser,
    lookup: async () => unknownUser,
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification,
    check: async () => undefined,
    close: async () => undefined,
  };
}

interface NamingDeps extends Pick<Naming, "onForeign" | "addresses"> {
  /** Absent while all domains are decided by `auth.backends.order`. */
  readonly domains: () => Domains | undefined;
  /** The names of `auth.backends.order`. */
  readonly order: () => readonly string[];
}

interface Deps extends NamingDeps {
  /** All backends: those of `auth.backends.order`, then those that only records name. */
  readonly set: { readonly current: readonly Backend[] };
  readonly none: Backend;
}

/** How domains name the accounts of backends. */
function createNaming({ domains, order, onForeign, addresses }: NamingDeps) {
  const isOfSite = (backend: string): boolean => order().includes(backend);
  const namesOf = ({ backends }: KnownDomain): readonly string[] => (backends.length > 0 ? backends : order());
  const domainOf = (account: string): Domain | Promise<Domain> => {
    const placed = domains()?.place(account);
    if (placed === undefined) return unknownDomain;
    return placed instanceof Promise ? placed.then((found) => found.domain) : placed.domain;
  };
  return {
    isOfSite,
    /** The names of a domain's backends. */
    namesOf,
    of: (domain: KnownDomain, { defaultName }: Domains): AccountNames =>
      accountNamesOf(domain, {
        defaultName,
        domainOf,
        isServedBy: (other, backend) => other.isKnown && namesOf(other).includes(backend),
        isOfSite,
        onForeign,
        addresses,
      }),
  };
}

/** Chooses the backends for each name. No other code decides which backend a name, and its password, may reach. */
export function createBackendsByName({ set, none, ...deps }: Deps): BackendsByName {
  const { domains } = deps;
  const noBackends: readonly Backend[] = [none];
  let of: readonly Backend[] = [];
  let kept = new WeakMap<KnownDomain, readonly Backend[]>();
  const naming = createNaming(deps);
  const make = (domain: KnownDomain, all: Domains): readonly Backend[] => {
    const names = naming.of(domain, all);
    return naming.namesOf(domain).map((name) => {
      const backend = set.current.find((one) => one.name === name);
      if (backend === undefined)
        throw new AppError("DIRECTORY_UNAVAILABLE", {
          detail: `the record of ${domain.name} names an unknown backend`,
        });
      return createDomainBackend(backend, names);
    });
  };
  const backendsOf = (domain: Domain, all: Domains): readonly Backend[] => {
    if (!domain.isKnown) return noBackends;
    if (of !== set.current) {
      of = set.current;
      kept = new WeakMap();
    }
    const found = kept.get(domain) ?? make(domain, all);
    kept.set(domain, found);
    return found;
  };
  return {
    get current() {
      return set.current;
    },
    get ofSite() {
      return domains() === undefined ? set.current : set.current.filter(({ name }) => naming.isOfSite(name));
    },
    seenFrom: (domain, backend) => {
      const all = domains();
      return all === undefined ? backend : createDomainBackend(backend, naming.of(domain, all));
    },
    of: (username, known) => {
      const all = domains();
      if (all === undefined) return set.current;
      if (known !== undefined) return backendsOf(known, all);
      const placed = all.place(username);
      if (placed instanceof Promise) return placed.then(({ domain }) => backendsOf(domain, all));
      return backendsOf(placed.domain, all);
    },
    serving: (name) => domains()?.find(name) ?? unknownDomain,
    spelled: (username) => {
      const placed = domains()?.place(username);
      return placed instanceof Promise ? placed.then((found) => found.username) : (placed?.username ?? username);
    },
  };
}
