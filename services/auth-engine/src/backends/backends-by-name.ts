import { type Domain, type KnownDomain, unknownDomain } from "@postern/shared/domain/domains";
import type { Backend } from "./backend.ts";

/** The backends that may be queried about a name. */
export interface BackendsByName {
  /** All backends, for what is about no name: listings, health, flushes. */
  readonly current: readonly Backend[];
  /** Those of `auth.backends.order`, in that order. */
  readonly ofSite: readonly Backend[];
  /** Another backend as a domain sees one of its own. */
  seenFrom(domain: KnownDomain, backend: Backend): Backend;
  /**
   * The backends for the domain of a name, in its order.
   *
   * @param domain of the name, if it is known already
   * @throws AppError DIRECTORY_UNAVAILABLE if the source of domain records cannot tell; a promise rejects with it
   */
  of(username: string, domain?: Domain): readonly Backend[] | Promise<readonly Backend[]>;
  /** The name as its domain spells it. Throws and rejects like `of`. */
  spelled(username: string): string | Promise<string>;
  /** The domain that serves a name; unknown while all domains are decided by `auth.backends.order`. Throws and rejects like `of`. */
  serving(name: string): Domain | Promise<Domain>;
}

/** The same backends for every name. */
export function forEveryName(current: readonly Backend[]): BackendsByName {
  return {
    current,
    ofSite: current,
    seenFrom: (_domain, backend) => backend,
    of: () => current,
    spelled: (username) => username,
    serving: () => unknownDomain,
  };
}
