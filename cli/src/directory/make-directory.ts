import type { Decoys, PasswordVerifier } from "@postern/shared/domain/passwords";
import type { Clock } from "@postern/shared/platform/time";
import type { Backend } from "../../../services/auth-engine/src/backends/backend.ts";
import type { BackendSettings } from "../../../services/auth-engine/src/backends/backend-settings.ts";
import { makeHttpBackend } from "../../../services/auth-engine/src/backends/http/context.ts";
import { createLdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import type { ServerLog } from "../../../services/auth-engine/src/backends/servers/target-set.ts";
import { makeSqlBackend } from "../../../services/auth-engine/src/backends/sql/context.ts";
import type { SqlDatabaseSettings } from "../../../services/auth-engine/src/backends/sql/sql-settings.ts";

export interface MakeDeps {
  readonly clock: Clock;
  readonly log: ServerLog;
  readonly passwords: PasswordVerifier;
  readonly decoys: Decoys;
}

function unseeded(database: SqlDatabaseSettings): SqlDatabaseSettings {
  return database.driver === "sqlite" ? { ...database, seedFile: undefined } : database;
}

/** The backend as an engine creates it, without writing: no new database, no upgraded hash. */
export async function makeBackend(of: BackendSettings, deps: MakeDeps): Promise<Backend | undefined> {
  switch (of.kind) {
    case "ldap":
      return createLdapBackend(of.settings, deps);
    case "sql": {
      const searches = of.settings.searches.map((search) => ({ ...search, upgradePasswordQuery: undefined }));
      const reading = { ...of, settings: { ...of.settings, searches }, database: unseeded(of.database) };
      return makeSqlBackend(reading, { base: { logger: deps.log }, passwords: deps.passwords, decoys: deps.decoys });
    }
    case "remote":
      // No engine has this identifier.
      return makeHttpBackend(of.settings, { log: deps.log, engine: "0".repeat(12), onFault: () => undefined });
    case "lua":
      return undefined;
  }
}
