import type { Base } from "@postern/shared/assembly";
import type { HostFunctions } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";
import { steadyClock } from "@postern/shared/platform/time";
import { createLdapPool, type LdapPool } from "../backends/ldap/ldap-pool.ts";
import { ldapPoolSettings } from "../backends/ldap/ldap-settings.ts";
import { ldapModule } from "../backends/ldap/script-module.ts";
import { makeSqlClient } from "../backends/sql/context.ts";
import { sqlModule } from "../backends/sql/script-module.ts";
import type { SqlClient } from "../backends/sql/sql-client.ts";
import { sqlBackendSettings } from "../backends/sql/sql-settings.ts";

/** Script functions that only an engine provides: the pools of its backends. */
export interface EngineModules {
  readonly functions: HostFunctions;
  close(): Promise<void>;
}

/** Creates a pool on first use: an unused pool has no connections and no health checks. */
function createLazily<Resource extends { close(): Promise<void> }>(make: (name: string) => Resource | undefined) {
  const resources = new Map<string, Resource>();
  return {
    find: (name: string): Resource | undefined => {
      const known = resources.get(name) ?? make(name);
      if (known !== undefined) resources.set(name, known);
      return known;
    },
    close: async (): Promise<void> => {
      await Promise.all([...resources.values()].map((one) => one.close()));
    },
  };
}

/** Pools with their own connections and the backends' settings, so that scripts never delay backends. */
export function createEngineModules({ auth }: Config, base: Base): EngineModules {
  const { sql, ldap } = auth.backends;
  const sqlPools = createLazily((name): SqlClient | undefined => {
    const pool = name === "default" ? sql.default : Object.hasOwn(sql.pools, name) ? sql.pools[name] : undefined;
    if (pool === undefined || (pool.driver === "sqlite" ? pool.file === "" : pool.server.length === 0))
      return undefined;
    return makeSqlClient(name, sqlBackendSettings(sql, name, name).database, base);
  });
  const ldapPools = createLazily((name): LdapPool | undefined => {
    const pool = name === "default" ? ldap.default : Object.hasOwn(ldap.pools, name) ? ldap.pools[name] : undefined;
    if (pool === undefined || pool.server_uri.length === 0) return undefined;
    return createLdapPool(name, ldapPoolSettings(pool), { clock: steadyClock, log: base.logger });
  });
  return {
    functions: { ...sqlModule(sqlPools.find), ...ldapModule(ldapPools.find) },
    close: async () => {
      await Promise.all([sqlPools.close(), ldapPools.close()]);
    },
  };
}
