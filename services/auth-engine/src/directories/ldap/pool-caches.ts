import type { Clock } from "@postern/shared/time";
import type { Entry } from "ldapts";
import { createExpiringCache, type ExpiringCache } from "./expiring-cache.ts";
import type { LdapCacheSettings } from "./settings.ts";

interface Remembered {
  /** Names, in lower case, by which the account may be told to be forgotten. */
  readonly names: readonly string[];
}

/** What one process remembers of one pool. Failures are never among it. */
export interface PoolCaches {
  /** Searches that found nobody. */
  readonly absent: ExpiringCache<Remembered>;
  /** Entries with their DN, by search. Their bind is still the directory's to answer. */
  readonly entries: ExpiringCache<Remembered & { readonly entry: Entry }>;
  /** Names of groups, by DN. */
  readonly memberships: ExpiringCache<Remembered & { readonly groups: readonly string[] }>;
  forget(name: string): void;
}

export function createPoolCaches(settings: LdapCacheSettings, clock: Clock): PoolCaches {
  const { maxEntries, evict } = settings;
  const absent: PoolCaches["absent"] = createExpiringCache({ ttlMs: settings.negativeTtlMs, maxEntries, evict }, clock);
  const entries: PoolCaches["entries"] = createExpiringCache({ ttlMs: settings.dnTtlMs, maxEntries, evict }, clock);
  const memberships: PoolCaches["memberships"] = createExpiringCache(
    { ttlMs: settings.membershipTtlMs, maxEntries, evict },
    clock,
  );
  return {
    absent,
    entries,
    memberships,
    forget: (name) => {
      const isTheirs = ({ names }: Remembered): boolean => names.includes(name.toLowerCase());
      absent.deleteWhere(isTheirs);
      entries.deleteWhere(isTheirs);
      memberships.deleteWhere(isTheirs);
    },
  };
}
