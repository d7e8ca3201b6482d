import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { createReadTransaction } from "./read-transaction.ts";
import type { SqlQuery, SqlRow, SqlStatement } from "./sql-client.ts";
import { type BoundParameters, columnsOf, prepareQuery, type SqliteQuery } from "./sqlite-query.ts";
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

interface PreparedQuery {
  readonly run: SqliteQuery;
  readonly parameters: readonly string[];
}

function parametersOf(text: string): readonly string[] {
  return findStatementParameters(text).map((parameter) => parameter.slice(1));
}

function bind(names: readonly string[], { parameters }: SqlStatement): BoundParameters {
  const bound: BoundParameters = {};
  for (const name of names) bound[name] = parameters[name] ?? null;
  return bound;
}

/** The settings have far fewer; a script that writes its own texts may have any number. */
const maxQueries = 256;

/** Queries prepared so far, for the schema that they were prepared for. */
function createQueries(database: DatabaseSync) {
  const queries = new Map<string, PreparedQuery>();
  let preparedFor: number | undefined;
  return (statement: string, schema: number): PreparedQuery => {
    if (schema !== preparedFor || queries.size >= maxQueries) queries.clear();
    preparedFor = schema;
    const known = queries.get(statement);
    if (known !== undefined) return known;
    const made = { run: prepareQuery(database, statement), parameters: parametersOf(statement) };
    queries.set(statement, made);
    return made;
  };
}

/** Throws SQLite's errors. A lock is an error at once: SQLite's own waiting would stop the event loop. */
export function openSqliteConnection(file: string, { readOnly }: { readonly readOnly: boolean }): SqliteConnection {
  const identity = identify(file);
  const database = new DatabaseSync(file, { readOnly, timeout: 0, readBigInts: true });
  const reading = createReadTransaction(database);
  const findQuery = createQueries(database);
  const prepared = new Map<string, Prepared>();

  const prepare = (text: string): Prepared => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const made = { statement: database.prepare(text), parameters: parametersOf(text) };
    prepared.set(text, made);
    return made;
  };

  const change = (given: SqlStatement): number => {
    const { statement, parameters } = prepare(given.statement);
    return Number(statement.run(bind(parameters, given)).changes);
  };

  return {
    query(given) {
      try {
        const { run, parameters } = findQuery(given.statement, reading.join());
        return run(bind(parameters, given), given.maxRows);
      } catch (thrown) {
        // Who asks again sees whether it was mended meanwhile.
        reading.end();
        throw thrown;
      }
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
    describe(statement) {
      reading.join();
      return columnsOf(database.prepare(statement));
    },
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
