import type { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import { ConnectionPool } from "../servers/connection-pool.ts";
import { directoryUnavailable } from "../servers/errors.ts";
import { createHealthMonitor } from "../servers/health-monitor.ts";
import { createTargetSet, type ServerLog } from "../servers/target-set.ts";
import { asTable } from "./dialect.ts";
import { type PositionalStatement, toPositional } from "./placeholders.ts";
import type { SqlConnection, SqlDriver } from "./server-connection.ts";
import type { SqlServerSettings } from "./server-settings.ts";
import type { SqlClient, SqlStatement, SqlValue } from "./sql-client.ts";

export interface SqlServerClientDeps {
  /** The pool's name, for logs. */
  readonly name: string;
  readonly settings: SqlServerSettings;
  readonly driver: SqlDriver;
  readonly clock: Clock;
  readonly log: ServerLog;
}

/** The site's queries and ours: they are as many as the settings have, and our pages of two kinds. */
const maxKnownStatements = 256;

/** Statements of a set of equal database servers, over a bounded pool. Connects to nobody yet. */
export function createSqlServerClient({ name, settings, driver, clock, log }: SqlServerClientDeps): SqlClient {
  const targets = createTargetSet(settings.servers, settings.breaker, { what: "SQL", poolName: name, clock, log });
  const pool = new ConnectionPool({
    label: `SQL connection of pool ${name}`,
    targets,
    size: settings.poolSize,
    capacity: 1,
    queueLength: settings.queueLength,
    needsServiceAccount: true,
    open: ({ address }, onClose) => driver.connect(address, settings, onClose),
    classify: (error) => driver.classify(error),
    clock,
  });
  const monitor = createHealthMonitor({
    targets,
    probe: async ({ address }) => {
      const connection = await driver.connect(address, settings, () => undefined);
      try {
        await connection.run("SELECT 1", []);
      } finally {
        connection.close();
      }
    },
    intervalMs: settings.healthCheckIntervalMs,
    refusedPauseMs: settings.breaker.cooldownMs,
    afterTick: () => pool.rebalance(),
    clock,
  });
  const known = new Map<string, PositionalStatement>();
  const translated = (statement: string): PositionalStatement => {
    const found = known.get(statement);
    if (found !== undefined) return found;
    if (known.size >= maxKnownStatements) known.clear();
    const made = toPositional(statement, driver.dialect);
    known.set(statement, made);
    return made;
  };
  const run = (connection: SqlConnection, { statement, parameters }: SqlStatement) => {
    const { text, names } = translated(statement);
    const values = names.map((parameter): SqlValue => parameters[parameter] ?? null);
    return connection.run(text, values);
  };
  /** A statement that the server refused says nothing about a user either. */
  const undecided = (error: unknown): AppError => directoryUnavailable(`SQL pool ${name}`, error);

  const change = async (connection: SqlConnection, statements: readonly SqlStatement[]): Promise<readonly number[]> => {
    const [only] = statements;
    const isOne = only !== undefined && statements.length === 1;
    try {
      if (isOne) return [(await run(connection, only)).affected];
      await connection.run("START TRANSACTION", []);
      const counts: number[] = [];
      for (const statement of statements) counts.push((await run(connection, statement)).affected);
      await connection.run("COMMIT", []);
      return counts;
    } catch (error) {
      // An open transaction ends with its connection. Told as an answer, so that the pool repeats nothing.
      if (!isOne || driver.classify(error) !== "answer") connection.close();
      throw undecided(error);
    }
  };

  return {
    dialect: driver.dialect,
    async query(query, context) {
      const { rows } = await pool
        .run((connection) => run(connection, query), context)
        .catch((error: unknown) => {
          throw undecided(error);
        });
      return rows.slice(0, query.maxRows);
    },
    execute: (statements, context) => pool.run((connection) => change(connection, statements), context),
    async describe(statement, context) {
      const query = { statement: `SELECT * FROM ${asTable(statement)} WHERE 1 = 0`, parameters: {} };
      const { columns } = await pool
        .run((connection) => run(connection, query), context)
        .catch((error: unknown) => {
          throw undecided(error);
        });
      return columns;
    },
    close: async () => {
      await Promise.all([monitor.close(), pool.close()]);
    },
  };
}
