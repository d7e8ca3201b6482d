import {
  createUnverifiableReports,
  type DataFault,
  type Decoys,
  type PasswordVerifier,
  unverifiableText,
} from "@postern/shared/domain/passwords";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { Backend } from "../backends/backend.ts";
import type { ServerLog } from "../backends/servers/target-set.ts";
import { loadedDriver } from "../backends/sql/loaded-driver.ts";
import { seedDatabase } from "../backends/sql/seed.ts";
import { createSqlServerClient } from "../backends/sql/server-client.ts";
import type { SqlDriver } from "../backends/sql/server-connection.ts";
import { createSqlBackend } from "../backends/sql/sql-backend.ts";
import type { SqlClient } from "../backends/sql/sql-client.ts";
import { createSqlFactors } from "../backends/sql/sql-factors.ts";
import type { SqlDatabaseSettings } from "../backends/sql/sql-settings.ts";
import { createSqliteClient } from "../backends/sql/sqlite-client.ts";
import type { BackendSettings } from "../settings.ts";

/** The part of `Base` that is needed. */
interface LoggerOf {
  readonly logger: ServerLog;
}

const seedWaitMs = 10_000;

/** Loads only the client library that a site uses: the two are a third of the engine's code. */
const drivers: Readonly<Record<SqlDriver["dialect"], () => Promise<SqlDriver>>> = {
  postgresql: async () => (await import("../backends/sql/postgresql-driver.ts")).postgresqlDriver,
  mysql: async () => (await import("../backends/sql/mysql-driver.ts")).mysqlDriver,
};

/** Does not connect yet. */
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
    clock: steadyClock,
    log: base.logger,
  });
}

interface SqlParts {
  readonly base: LoggerOf;
  readonly passwords: PasswordVerifier;
  readonly decoys: Decoys;
  readonly countUnverifiable?: ((reason: DataFault) => void) | undefined;
}

export async function makeSqlBackend(
  { settings, database }: Extract<BackendSettings, { kind: "sql" }>,
  { base, passwords, decoys, countUnverifiable = () => undefined }: SqlParts,
): Promise<Backend> {
  if (database.driver === "sqlite" && database.seedFile !== undefined) {
    await seedDatabase({ file: database.file, seedFile: database.seedFile, waitMs: seedWaitMs });
  }
  const client = makeSqlClient(settings.name, database, base);
  const mfa = createSqlFactors({ settings, client });
  const onUpgradeFailure = (err: unknown): void => base.logger.warn({ err }, "a password hash could not be upgraded");
  const onUnverifiable = createUnverifiableReports(systemClock, countUnverifiable, (fault) =>
    base.logger.warn({ directory: settings.name, ...fault }, unverifiableText),
  );
  return createSqlBackend({ settings, client, passwords, decoys, mfa, onUnverifiable, onUpgradeFailure });
}
