import { createBoundedCache } from "@postern/shared/platform/cache";
import { canonicalName } from "@postern/shared/platform/net";
import type { Clock } from "@postern/shared/platform/time";
import type { Entry } from "ldapts";
import type { LdapPoolSettings } from "./ldap-settings.ts";

/** `name` is undefined until it is needed. */
export interface Group {
  readonly dn: string;
  readonly name: string | undefined;
}

interface Remembered {
  /** Names, in lower case, under which the account may be forgotten. */
  readonly names: readonly string[];
}

/** What one process caches for one pool. Failures are not cached. */
export function createPoolCaches(settings: LdapPoolSettings["caches"], clock: Clock) {
  const evict = settings.evict === "lru" ? ("least-used" as const) : ("oldest" as const);
  const cacheOf = <More extends object>(ttlMs: number) =>
    createBoundedCache<Remembered & More>({ maxEntries: settings.maxEntries, evict, clock, ttlMs });
  /** Searches without a result. */
  const absent = cacheOf<object>(settings.negativeTtlMs);
  /** Entries with their DN, by search. The backend still answers their binds. */
  const entries = cacheOf<{ readonly entry: Entry }>(settings.dnTtlMs);
  /** Groups, by the DN of their member. */
  const memberships = cacheOf<{ readonly groups: readonly Group[] }>(settings.membershipTtlMs);
  return {
    absent,
    entries,
    memberships,
    forget: (name: string): void => {
      const isTheirs = ({ names }: Remembered): boolean => names.includes(canonicalName(name).toLowerCase());
      absent.deleteWhere(isTheirs);
      entries.deleteWhere(isTheirs);
      memberships.deleteWhere(isTheirs);
    },
  };
}
