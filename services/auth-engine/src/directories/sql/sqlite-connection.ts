import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { createReadTransaction } from "./read-transaction.ts";
import type { SqlQuery, SqlRow, SqlStatement } from "./sql-client.ts";
import { findStatementParameters } from "./statement-parameters.ts";

/** An open database with the statements prepared so far (as many as the settings have queries). */
export interface SqliteConnection {
  query(query: SqlQuery): readonly SqlRow[];
  /** All or none; how many rows each changed. */
  execute(statements: readonly SqlStatement[]): readonly number[];
  describe(statement: string): readonly string[];
  /** So that the next query sees what was written meanwhile; otherwise queries without a wait between see the same. */
  endReading(): void;
  /** False once it had to be closed because a lock could not be given back. */
  isOpen(): boolean;
  /** False once the path names another file than the one that is open, or none. */
  isCurrent(): boolean;
  close(): void;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly parameters: readonly string[];
}

function bind(names: readonly string[], { parameters }: SqlStatement) {
  return Object.fromEntries(names.map((name) => [name, parameters[name] ?? null]));
}

/** Throws SQLite's errors. A lock is an error at once: SQLite's own waiting would stop the event loop. */
export function openSqliteConnection(file: string, { readOnly }: { readonly readOnly: boolean }): SqliteConnection {
  const identity = identify(file);
  const database = new DatabaseSync(file, { readOnly, timeout: 0, readBigInts: true });
  const reading = createReadTransaction(database);
  const prepared = new Map<string, Prepared>();

  const prepare = (text: string): Prepared => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const parameters = findStatementParameters(text).map((parameter) => parameter.slice(1));
    const made = { statement: database.prepare(text), parameters };
    prepared.set(text, made);
    return made;
  };

  const change = (given: SqlStatement): number => {
    const { statement, parameters } = prepare(given.statement);
    return Number(statement.run(bind(parameters, given)).changes);
  };

  return {
    query(given) {
      const { statement, parameters } = prepare(given.statement);
      reading.join();
      return statement.iterate(bind(parameters, given)).take(given.maxRows).toArray();
    },
    execute(statements) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const counts = statements.map(change);
        database.exec("COMMIT");
        return counts;
      } catch (thrown) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw thrown;
      }
    },
    describe: (statement) =>
      prepare(statement)
        .statement.columns()
        .map(({ name }) => name),
    isOpen: () => database.isOpen,
    endReading: () => reading.end(),
    isCurrent: () => identity !== undefined && identify(file) === identity,
    close: () => {
      reading.end();
      if (database.isOpen) database.close();
    },
  };
}

/** Device and inode: an open file keeps its own, even when its path was given to another. */
function identify(file: string): string | undefined {
  const status = statSync(file, { throwIfNoEntry: false });
  return status === undefined ? undefined : `${status.dev}:${status.ino}`;
}
