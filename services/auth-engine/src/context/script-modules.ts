import type { Base } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { type HostFunctions, sqlModule } from "@postern/shared/scripts";
import { systemClock } from "@postern/shared/time";
import { createLdapPool, type LdapPool } from "../directories/ldap/ldap-pool.ts";
import type { SqlClient } from "../directories/sql/sql-client.ts";
import { ldapModule } from "../scripts/ldap-module.ts";
import { ldapPoolSettings } from "../settings.ts";
import { sqlDirectorySettings } from "../sql-settings.ts";
import { makeSqlClient } from "./sql.ts";

/** What only an engine lends to its scripts: the pools of its directories. */
export interface EngineModules {
  readonly functions: HostFunctions;
  close(): Promise<void>;
}

/** Made when first asked for: a pool that no script asks has no connections and no watch over its servers. */
function createLazily<Resource extends { close(): Promise<void> }>(make: (name: string) => Resource | undefined) {
  const made = new Map<string, Resource>();
  return {
    find: (name: string): Resource | undefined => {
      const known = made.get(name) ?? make(name);
      if (known !== undefined) made.set(name, known);
      return known;
    },
    close: async (): Promise<void> => {
      await Promise.all([...made.values()].map((one) => one.close()));
    },
  };
}

/** Connections of their own, with the settings of the directories' pools, so that scripts never hold up directories. */
export function createEngineModules({ auth }: Config, base: Base): EngineModules {
  const { sql, ldap } = auth.backends;
  const sqlPools = createLazily((name): SqlClient | undefined => {
    const pool = name === "default" ? sql.default : Object.hasOwn(sql.pools, name) ? sql.pools[name] : undefined;
    if (pool === undefined || (pool.driver === "sqlite" ? pool.file === "" : pool.server.length === 0))
      return undefined;
    return makeSqlClient(name, sqlDirectorySettings(sql, name, name).database, base);
  });
  const ldapPools = createLazily((name): LdapPool | undefined => {
    const pool = name === "default" ? ldap.default : Object.hasOwn(ldap.pools, name) ? ldap.pools[name] : undefined;
    if (pool === undefined || pool.server_uri.length === 0) return undefined;
    return createLdapPool(name, ldapPoolSettings(pool), { clock: systemClock, log: base.logger });
  });
  return {
    functions: { ...sqlModule(sqlPools.find), ...ldapModule(ldapPools.find) },
    close: async () => {
      await Promise.all([sqlPools.close(), ldapPools.close()]);
    },
  };
}
