import type { Clock } from "@postern/shared/platform/time";
import type { SearchOptions, SearchResult } from "ldapts";
import type { BackendContext } from "../backend.ts";
import { ConnectionPool } from "../servers/connection-pool.ts";
import type { TargetSet } from "../servers/target-set.ts";
import { type LdapConnection, openReadyConnection, readRootDse, type ServiceIdentity } from "./client.ts";
import { classifyFailure } from "./errors.ts";
import type { LdapPoolSettings } from "./ldap-settings.ts";
import type { ServerAddress } from "./server-uri.ts";

/** Below the 100 pending requests that OpenLDAP allows on a connection. */
const searchesPerConnection = 32;
/** Searches for an account take milliseconds. */
const patienceMs = 1000;

export function serviceIdentity({ saslExternal, bindDn, bindPassword }: LdapPoolSettings): ServiceIdentity {
  if (saslExternal) return { kind: "external" };
  return bindDn === "" ? { kind: "anonymous" } : { kind: "simple", dn: bindDn, password: bindPassword };
}

/** Searches as the service account, several concurrently on each of a few connections. */
export class LookupPool extends ConnectionPool<LdapConnection, ServerAddress> {
  constructor(settings: LdapPoolSettings, targets: TargetSet<ServerAddress>, clock: Clock) {
    const identity = serviceIdentity(settings);
    super({
      label: "LDAP lookup connection",
      targets,
      size: settings.lookupPoolSize,
      idleSize: settings.lookupIdleSize,
      capacity: searchesPerConnection,
      queueLength: settings.lookupQueueLength,
      needsServiceAccount: identity.kind !== "anonymous",
      open: ({ address }, onClose) =>
        openReadyConnection(address, identity, { ...settings, operationTimeoutMs: settings.searchTimeoutMs, onClose }),
      patienceMs,
      classify: classifyFailure,
      clock,
    });
  }

  search(baseDn: string, options: SearchOptions, context: BackendContext): Promise<SearchResult> {
    return this.run((connection) => connection.search(baseDn, options), context);
  }

  /** Resolves if a server answers the cheapest search now. */
  check(context: BackendContext): Promise<void> {
    return this.run(readRootDse, context);
  }
}
