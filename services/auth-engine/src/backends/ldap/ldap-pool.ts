import { createBoundedCache } from "@postern/shared/platform/cache";
import { AppError } from "@postern/shared/platform/errors";
import { canonicalName } from "@postern/shared/platform/net";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { Entry } from "ldapts";
import { createHealthMonitor } from "../servers/health-monitor.ts";
import { createTargetSet, type ServerLog, type Target } from "../servers/target-set.ts";
import { openReadyConnection, readRootDse } from "./client.ts";
import { BindPool, LookupPool, serviceIdentity } from "./connection-pools.ts";
import { type LdapPoolSettings, withBounds } from "./ldap-settings.ts";
import { parseServerUri, type ServerAddress } from "./server-uri.ts";
import { createWriter, openAnywhere } from "./writer.ts";

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
function createPoolCaches(settings: LdapPoolSettings["caches"], clock: Clock) {
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

/**
 * One set of equal servers: searches, user binds, and health checks of the servers. Does not connect yet. Throws `CONFIG_INVALID` for settings that can never
 * work.
 */
export function createLdapPool(
  name: string,
  rawSettings: LdapPoolSettings,
  { clock, log }: { readonly clock: Clock; readonly log: ServerLog },
) {
  const settings = withBounds(rawSettings);
  if (settings.serverUris.length === 0) {
    throw new AppError("CONFIG_INVALID", { detail: `LDAP pool ${name} has no server_uri` });
  }
  if (settings.bindDn !== "" && settings.bindPassword.isEmpty && !settings.saslExternal) {
    throw new AppError("CONFIG_INVALID", { detail: `LDAP pool ${name} has a bind_dn without a bind_pw` });
  }
  const targets = createTargetSet(settings.serverUris.map(parseServerUri), settings.breaker, {
    what: "LDAP",
    poolName: name,
    // A wall clock that is set back would keep the breaker open until a health check succeeds.
    clock: steadyClock,
    log,
  });
  const lookup = new LookupPool(settings, targets, clock);
  const bind = new BindPool(settings, targets, clock);
  const monitor = createHealthMonitor(targets, steadyClock, settings, {
    probe: (target) => probeTarget(target, settings),
    afterTick: () => {
      lookup.rebalance();
      bind.rebalance();
    },
  });
  return {
    name,
    settings,
    lookup,
    bind,
    writer: createWriter(name, settings, targets, clock),
    caches: createPoolCaches(settings.caches, steadyClock),
    /** A separate connection as the service account, for operations that keep state on the server; the caller closes it. */
    open: () =>
      openAnywhere(
        targets,
        targets.usable().toSorted((a, b) => a.inFlight - b.inFlight),
        { ...settings, operationTimeoutMs: settings.searchTimeoutMs },
      ),
    snapshot: () => ({
      lookup: lookup.snapshot(),
      bind: bind.snapshot(),
      servers: targets.all.map(({ address, breaker, inFlight }) => ({
        uri: address.uri,
        breaker: breaker.state(),
        inFlight,
      })),
    }),
    close: async (): Promise<void> => {
      await Promise.all([monitor.close(), lookup.close(), bind.close()]);
    },
  };
}

export type LdapPool = ReturnType<typeof createLdapPool>;

/** Uses the same address, TLS and account as real requests. */
async function probeTarget({ address }: Target<ServerAddress>, settings: LdapPoolSettings): Promise<void> {
  const timeoutMs = settings.healthCheckTimeoutMs;
  const connection = await openReadyConnection(address, serviceIdentity(settings), {
    ...settings,
    connectTimeoutMs: timeoutMs,
    operationTimeoutMs: timeoutMs,
    onClose: () => undefined,
  });
  try {
    await readRootDse(connection);
  } finally {
    connection.close();
  }
}
