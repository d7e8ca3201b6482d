import { type BoundedCache, createBoundedCache } from "@postern/shared/platform/cache";
import { canonicalName } from "@postern/shared/platform/net";
import type { Clock } from "@postern/shared/platform/time";
import type { Entry } from "ldapts";
import type { Group } from "./group-name.ts";
import type { LdapCacheSettings } from "./settings.ts";

interface Remembered {
  /** Names, in lower case, under which the account may be forgotten. */
  readonly names: readonly string[];
}

/** What one process caches for one pool. Failures are not cached. */
export interface PoolCaches {
  /** Searches without a result. */
  readonly absent: BoundedCache<Remembered>;
  /** Entries with their DN, by search. The backend still answers their binds. */
  readonly entries: BoundedCache<Remembered & { readonly entry: Entry }>;
  /** Groups, by the DN of their member. */
  readonly memberships: BoundedCache<Remembered & { readonly groups: readonly Group[] }>;
  forget(name: string): void;
}

export function createPoolCaches(settings: LdapCacheSettings, clock: Clock): PoolCaches {
  const evict = settings.evict === "lru" ? "least-used" : "oldest";
  const bounds = { maxEntries: settings.maxEntries, evict, clock } as const;
  const absent: PoolCaches["absent"] = createBoundedCache({ ...bounds, ttlMs: settings.negativeTtlMs });
  const entries: PoolCaches["entries"] = createBoundedCache({ ...bounds, ttlMs: settings.dnTtlMs });
  const memberships: PoolCaches["memberships"] = createBoundedCache({ ...bounds, ttlMs: settings.membershipTtlMs });
  return {
    absent,
    entries,
    memberships,
    forget: (name) => {
      const isTheirs = ({ names }: Remembered): boolean => names.includes(canonicalName(name).toLowerCase());
      absent.deleteWhere(isTheirs);
      entries.deleteWhere(isTheirs);
      memberships.deleteWhere(isTheirs);
    },
  };
}
