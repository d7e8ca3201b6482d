import { AppError } from "@postern/shared/platform/errors";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import { backendUnavailable } from "../servers/errors.ts";
import { createHealthMonitor } from "../servers/health-monitor.ts";
import { createTargetSet, type ServerLog, type Target, type TargetSet } from "../servers/target-set.ts";
import { BindPool } from "./bind-pool.ts";
import { type LdapConnection, openReadyConnection, readRootDse } from "./client.ts";
import { type LdapPoolSettings, withBounds } from "./ldap-settings.ts";
import { LookupPool, serviceIdentity } from "./lookup-pool.ts";
import { createPoolCaches } from "./pool-caches.ts";
import { parseServerUri, type ServerAddress } from "./server-uri.ts";
import { createWriter } from "./writer.ts";

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
    open: () => openAnywhere(targets, settings),
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

/** Opens a connection to the first server that accepts one, in order of load. */
async function openAnywhere(targets: TargetSet<ServerAddress>, settings: LdapPoolSettings): Promise<LdapConnection> {
  let failure: unknown;
  for (const target of targets.usable().toSorted((a, b) => a.inFlight - b.inFlight)) {
    try {
      const options = { ...settings, operationTimeoutMs: settings.searchTimeoutMs, onClose: () => undefined };
      const connection = await openReadyConnection(target.address, serviceIdentity(settings), options);
      target.breaker.succeeded();
      return connection;
    } catch (error) {
      failure = error;
      targets.noteFailure(target, error);
    }
  }
  throw backendUnavailable("opening an LDAP connection", failure ?? targets.reason());
}
