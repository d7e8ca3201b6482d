import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { createBoundedCache } from "@postern/shared/platform/cache";
import { findStatementParameters } from "./placeholders.ts";
import type { SqlQuery, SqlRow, SqlStatement } from "./sql-client.ts";
import { type BoundParameters, columnsOf, prepareQuery, type SqliteQuery } from "./sqlite-query.ts";

/** A bus message brings many attempts, and each separate query costs eight system calls for locks and checks. */
function createReadTransaction(database: DatabaseSync) {
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const readSchema = database.prepare("PRAGMA schema_version");
  readSchema.setReturnArrays(true);
  let isOpen = false;
  let schema: number | undefined;
  let learnt: number | undefined;
  /** Prepared on first use, because preparing reads the file. */
  let learnSchema: StatementSync | undefined;

  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    schema = undefined;
    try {
      // Some errors end the transaction.
      if (database.isOpen && database.isTransaction) commit.run();
    } catch {
      // If a lock cannot be released, closing the database releases it; the next query opens it again.
      database.close();
    }
  };
  return {
    /**
     * Called before a query; returns the schema version for which statements are prepared from now on. The transaction
     * ends before anything else is received, so a query that arrives after a change sees the change.
     */
    join(): number {
      if (!isOpen) {
        begin.run();
        isOpen = true;
        // Runs when all promises have settled and before the next input is read.
        process.nextTick(end);
      }
      schema ??= Number(readSchema.get()?.[0]);
      if (schema !== learnt) {
        // Reading a table makes SQLite check whether its cached schema still matches the file's.
        learnSchema ??= database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1");
        learnSchema.get();
        learnt = schema;
      }
      return schema;
    },
    /** Ends the transaction immediately, so that the next query sees what is written next. */
    end,
  };
}

export type SqliteConnection = ReturnType<typeof openSqliteConnection>;

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

/** The configuration has far fewer queries; a script that builds its own statements may have any number. */
const maxStatements = 256;

/** Prepared queries, for one version of the schema. */
function createQueries(database: DatabaseSync) {
  const queries = createBoundedCache<PreparedQuery>({ maxEntries: maxStatements, evict: "least-used" });
  let preparedFor: number | undefined;
  return (statement: string, schema: number): PreparedQuery => {
    if (schema !== preparedFor) queries.clear();
    preparedFor = schema;
    const known = queries.get(statement);
    if (known !== undefined) return known;
    const query = { run: prepareQuery(database, statement), parameters: parametersOf(statement) };
    queries.set(statement, query);
    return query;
  };
}

/**
 * An open database with its prepared statements. Throws SQLite's errors. A lock is an immediate error, because waiting inside SQLite would block
 * the event loop.
 */
export function openSqliteConnection(file: string, { readOnly }: { readonly readOnly: boolean }) {
  const identity = identify(file);
  const database = new DatabaseSync(file, { readOnly, timeout: 0, readBigInts: true });
  const reading = createReadTransaction(database);
  const findQuery = createQueries(database);
  const prepared = createBoundedCache<Prepared>({ maxEntries: maxStatements, evict: "least-used" });

  const prepare = (text: string): Prepared => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const entry = { statement: database.prepare(text), parameters: parametersOf(text) };
    prepared.set(text, entry);
    return entry;
  };

  const change = (command: SqlStatement): number => {
    const { statement, parameters } = prepare(command.statement);
    return Number(statement.run(bind(parameters, command)).changes);
  };

  return {
    query(query: SqlQuery): readonly SqlRow[] {
      try {
        const { run, parameters } = findQuery(query.statement, reading.join());
        return run(bind(parameters, query), query.maxRows);
      } catch (thrown) {
        // The next query finds out whether the cause was fixed.
        reading.end();
        throw thrown;
      }
    },
    /** Runs all statements or none; returns how many rows each changed. */
    execute(statements: readonly SqlStatement[]): readonly number[] {
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
    describe(statement: string): readonly string[] {
      reading.join();
      return columnsOf(database.prepare(statement));
    },
    /** False if it had to be closed because a lock could not be released. */
    isOpen: (): boolean => database.isOpen,
    /** Makes the next query see recent writes; queries in the same turn of the event loop otherwise share a snapshot. */
    endReading: (): void => reading.end(),
    /** False if the path names another file than the open one, or none. */
    isCurrent: (): boolean => identity !== undefined && identify(file) === identity,
    close: (): void => {
      reading.end();
      if (database.isOpen) database.close();
    },
  };
}

/** Device and inode: an open file keeps its own even if its path now names another file. */
function identify(file: string): string | undefined {
  const status = statSync(file, { throwIfNoEntry: false });
  return status === undefined ? undefined : `${status.dev}:${status.ino}`;
}
