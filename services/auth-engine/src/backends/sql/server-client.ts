import { remembering } from "@postern/shared/platform/cache";
import type { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { BackendContext } from "../backend.ts";
import { ConnectionPool } from "../servers/connection-pool.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { createHealthMonitor } from "../servers/health-monitor.ts";
import { createTargetSet, type ServerLog } from "../servers/target-set.ts";
import { asTable, toPositional } from "./placeholders.ts";
import type { SqlConnection, SqlDriver, SqlResult } from "./server-connection.ts";
import type { SqlClient, SqlStatement, SqlValue } from "./sql-client.ts";
import type { SqlServerSettings } from "./sql-settings.ts";

/** Bound for cached statements: more than the site's queries in the settings and Postern's own page queries. */
const maxKnownStatements = 256;

function makeServers(name: string, settings: SqlServerSettings, driver: SqlDriver, log: ServerLog) {
  // A wall clock that is set back would keep the breaker open until a health check succeeds.
  const ofServers = { what: "SQL", poolName: name, clock: steadyClock, log } as const;
  const targets = createTargetSet(settings.servers, settings.breaker, ofServers);
  const pool = new ConnectionPool({
    label: `SQL connection of pool ${name}`,
    targets,
    size: settings.poolSize,
    capacity: 1,
    queueLength: settings.queueLength,
    needsServiceAccount: true,
    open: ({ address }, onClose) => driver.connect(address, settings, onClose),
    classify: (error) => driver.classify(error),
    clock: steadyClock,
  });
  const monitor = createHealthMonitor(targets, steadyClock, settings, {
    probe: async ({ address }) => {
      const connection = await driver.connect(address, settings, () => undefined);
      try {
        await connection.run("SELECT 1", []);
      } finally {
        connection.close();
      }
    },
    afterTick: () => pool.rebalance(),
  });
  return { pool, monitor };
}

type Run = (connection: SqlConnection, statement: SqlStatement) => Promise<SqlResult>;

/** Runs the statements in order on one connection, all or none. */
async function runAll(
  connection: SqlConnection,
  statements: readonly SqlStatement[],
  run: Run,
): Promise<readonly number[]> {
  const [only] = statements;
  if (only !== undefined && statements.length === 1) return [(await run(connection, only)).affected];
  await connection.run("START TRANSACTION", []);
  const counts: number[] = [];
  for (const statement of statements) counts.push((await run(connection, statement)).affected);
  await connection.run("COMMIT", []);
  return counts;
}

/** A client for a set of equal database servers, over a bounded pool. It does not connect until the first statement. */
export function createSqlServerClient(
  name: string,
  settings: SqlServerSettings,
  driver: SqlDriver,
  log: ServerLog,
): SqlClient {
  const { pool, monitor } = makeServers(name, settings, driver, log);
  const translate = remembering(maxKnownStatements, (statement) => toPositional(statement, driver.dialect));
  const run: Run = (connection, { statement, parameters }) => {
    const { text, names } = translate(statement);
    const values = names.map((parameter): SqlValue => parameters[parameter] ?? null);
    return connection.run(text, values);
  };
  /** A statement that the server refused says nothing about a user. */
  const undecided = (error: unknown): AppError => backendUnavailable(`SQL pool ${name}`, error);
  const read = (statement: SqlStatement, context: BackendContext): Promise<SqlResult> =>
    pool
      .run((connection) => run(connection, statement), context)
      .catch((error: unknown) => {
        throw undecided(error);
      });
  const change = (connection: SqlConnection, statements: readonly SqlStatement[]): Promise<readonly number[]> =>
    runAll(connection, statements, run).catch((error: unknown) => {
      // An open transaction ends with its connection. Reported as an answer, so that the pool does not retry.
      if (statements.length !== 1 || driver.classify(error) !== "answer") connection.close();
      throw undecided(error);
    });

  return {
    dialect: driver.dialect,
    query: async (query, context) => (await read(query, context)).rows.slice(0, query.maxRows),
    execute: (statements, context) => pool.run((connection) => change(connection, statements), context),
    async describe(statement, context) {
      const query = { statement: `SELECT * FROM ${asTable(statement)} WHERE 1 = 0`, parameters: {} };
      return (await read(query, context)).columns;
    },
    close: async () => {
      await Promise.all([monitor.close(), pool.close()]);
    },
  };
}
