import {
  createUnverifiableReports,
  type DataFault,
  type Decoys,
  type PasswordVerifier,
  unverifiableText,
} from "@postern/shared/domain/passwords";
import { systemClock } from "@postern/shared/platform/time";
import type { Backend } from "../backend.ts";
import type { BackendSettings } from "../backend-settings.ts";
import type { ServerLog } from "../servers/target-set.ts";
import { seedDatabase } from "./seed.ts";
import { createSqlServerClient } from "./server-client.ts";
import type { SqlDriver } from "./server-connection.ts";
import { createSqlBackend } from "./sql-backend.ts";
import type { SqlClient } from "./sql-client.ts";
import type { SqlDatabaseSettings } from "./sql-settings.ts";
import { createSqliteClient } from "./sqlite-client.ts";

/** The part of `Base` that is needed. */
interface LoggerOf {
  readonly logger: ServerLog;
}

const seedWaitMs = 10_000;

/** Loads only the client library that a site uses: the two are a third of the engine's code. */
const drivers: Readonly<Record<SqlDriver["dialect"], () => Promise<SqlDriver>>> = {
  postgresql: async () => (await import("./postgresql-driver.ts")).postgresqlDriver,
  mysql: async () => (await import("./mysql-driver.ts")).mysqlDriver,
};

/** A driver that starts to load its client library from disk now; the first connection waits for it. */
function loadedDriver(dialect: SqlDriver["dialect"], loading: Promise<SqlDriver>): SqlDriver {
  let driver: SqlDriver | undefined;
  return {
    dialect,
    connect: async (address, settings, onClose) => {
      driver ??= await loading;
      return driver.connect(address, settings, onClose);
    },
    // Before the first connection, nothing can have failed.
    classify: (error) => driver?.classify(error) ?? "lost",
  };
}

/** Does not connect yet. */
export function makeSqlClient(name: string, database: SqlDatabaseSettings, base: LoggerOf): SqlClient {
  if (database.driver === "sqlite") return createSqliteClient(database);
  const { servers: settings, driver } = database;
  return createSqlServerClient(name, settings, loadedDriver(driver, drivers[driver]()), base.logger);
}

interface SqlParts {
  readonly base: LoggerOf;
  readonly passwords: PasswordVerifier;
  readonly decoys: Decoys;
  /** Undefined: they are not reported. */
  readonly countUnverifiable?: ((reason: DataFault) => void) | undefined;
}

export async function makeSqlBackend(
  { settings, database }: Extract<BackendSettings, { kind: "sql" }>,
  { base, passwords, decoys, countUnverifiable }: SqlParts,
): Promise<Backend> {
  if (database.driver === "sqlite" && database.seedFile !== undefined) {
    await seedDatabase({ file: database.file, seedFile: database.seedFile, waitMs: seedWaitMs });
  }
  const client = makeSqlClient(settings.name, database, base);
  const onUpgradeFailure = (err: unknown): void => base.logger.warn({ err }, "a password hash could not be upgraded");
  const onUnverifiable =
    countUnverifiable &&
    createUnverifiableReports(systemClock, countUnverifiable, (fault) =>
      base.logger.warn({ directory: settings.name, ...fault }, unverifiableText),
    );
  return createSqlBackend({ settings, client, passwords, decoys, onUnverifiable, onUpgradeFailure });
}
