import type { PasswordVerifier } from "@postern/shared/passwords";
import type { Clock } from "@postern/shared/time";
import { makeSqlDirectory } from "../../services/auth-engine/src/context/sql.ts";
import type { Directory } from "../../services/auth-engine/src/directories/directory.ts";
import { createLdapDirectory } from "../../services/auth-engine/src/directories/ldap/ldap-directory.ts";
import type { ServerLog } from "../../services/auth-engine/src/directories/servers/target-set.ts";
import type { SqlDatabaseSettings } from "../../services/auth-engine/src/directories/sql/settings.ts";
import type { DirectorySettings } from "../../services/auth-engine/src/settings.ts";

export interface MakeDeps {
  readonly clock: Clock;
  readonly log: ServerLog;
  readonly passwords: PasswordVerifier;
}

function unseeded(database: SqlDatabaseSettings): SqlDatabaseSettings {
  return database.driver === "sqlite" ? { ...database, seedFile: undefined } : database;
}

/** The directory as an engine makes it, but that it writes nothing: no new database, no better hash. */
export async function makeDirectory(of: DirectorySettings, deps: MakeDeps): Promise<Directory | undefined> {
  switch (of.kind) {
    case "ldap":
      return createLdapDirectory(of.settings, deps);
    case "sql": {
      const searches = of.settings.searches.map((search) => ({ ...search, upgradePasswordQuery: undefined }));
      const reading = { ...of, settings: { ...of.settings, searches }, database: unseeded(of.database) };
      return makeSqlDirectory(reading, { base: { logger: deps.log }, passwords: deps.passwords });
    }
    case "lua":
      return undefined;
  }
}
