import type { PasswordVerifier } from "@postern/shared/passwords";
import { systemClock } from "@postern/shared/time";
import type { Directory } from "../directories/directory.ts";
import type { ServerLog } from "../directories/servers/target-set.ts";
import { loadedDriver } from "../directories/sql/loaded-driver.ts";
import { seedDatabase } from "../directories/sql/seed.ts";
import { createSqlServerClient } from "../directories/sql/server-client.ts";
import type { SqlDriver } from "../directories/sql/server-connection.ts";
import type { SqlDatabaseSettings } from "../directories/sql/settings.ts";
import type { SqlClient } from "../directories/sql/sql-client.ts";
import { createSqlDirectory } from "../directories/sql/sql-directory.ts";
import { createSqliteClient } from "../directories/sql/sqlite-client.ts";
import { createMfaArtefactsSql } from "../mfa-artefacts/mfa-artefacts-sql.ts";
import type { DirectorySettings } from "../settings.ts";

/** All of `Base` that is needed. */
interface LoggerOf {
  readonly logger: ServerLog;
}

const seedWaitMs = 10_000;

/** Only the client library that a site uses takes memory: the two are a third of the engine's code. */
const drivers: Readonly<Record<SqlDriver["dialect"], () => Promise<SqlDriver>>> = {
  postgresql: async () => (await import("../directories/sql/postgresql-driver.ts")).postgresqlDriver,
  mysql: async () => (await import("../directories/sql/mysql-driver.ts")).mysqlDriver,
};

/** Connects to nobody yet. */
export function makeSqlClient(name: string, database: SqlDatabaseSettings, base: LoggerOf): SqlClient {
  if (database.driver === "sqlite") {
    const { file, busyTimeoutMs } = database;
    return createSqliteClient({ file, busyTimeoutMs });
  }
  const { servers: settings, driver } = database;
  return createSqlServerClient({
    name,
    settings,
    driver: loadedDriver(driver, drivers[driver]()),
    clock: systemClock,
    log: base.logger,
  });
}

export async function makeSqlDirectory(
  { settings, database }: Extract<DirectorySettings, { kind: "sql" }>,
  { base, passwords }: { readonly base: LoggerOf; readonly passwords: PasswordVerifier },
): Promise<Directory> {
  if (database.driver === "sqlite" && database.seedFile !== undefined) {
    await seedDatabase({ file: database.file, seedFile: database.seedFile, waitMs: seedWaitMs });
  }
  const client = makeSqlClient(settings.name, database, base);
  const mfa = createMfaArtefactsSql({ settings, client });
  const onUpgradeFailure = (err: unknown): void => base.logger.warn({ err }, "a password hash could not be upgraded");
  return createSqlDirectory({ settings, client, passwords, mfa, onUpgradeFailure });
}
