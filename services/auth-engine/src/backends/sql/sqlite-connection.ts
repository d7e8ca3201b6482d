import { statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { remembering } from "@postern/shared/platform/cache";
import { AppError } from "@postern/shared/platform/errors";
import { asTable, findStatementParameters } from "./placeholders.ts";
import type { SqlQuery, SqlRow, SqlStatement, SqlValue } from "./sql-client.ts";

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const sqliteError = 1;
const sqliteBusy = 5;
const sqliteLocked = 6;
const sqliteConstraint = 19;

function primaryCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown) || typeof thrown.errcode !== "number") return undefined;
  return thrown.errcode & 0xff;
}

/** Another process holds a lock, so a retry may succeed. */
export function isBusy(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === sqliteBusy || code === sqliteLocked;
}

/** The connection still works: only this statement failed or had to wait. */
export function isOfStatement(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return isBusy(thrown) || code === sqliteError || code === sqliteConstraint;
}

/** Locked, damaged, missing, another schema: none of it says anything about a user. */
export function toBackendError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("DIRECTORY_UNAVAILABLE", { detail: `SQLite: ${detail}`, cause: thrown });
}

type BoundParameters = Record<string, SQLInputValue>;

/** A prepared query that reads at most a given number of rows. */
type SqliteQuery = (parameters: BoundParameters, maxRows: number) => readonly SqlRow[];

/** Used beside the parameters of the site's query. */
const maxRowsParameter = "postern_max_rows";

function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/**
 * Limits the rows of a query. The limit is wrapped in a CAST, because SQLite would plan the query again for each value
 * of a bare parameter. Undefined if SQLite does not accept such a query, or names its columns differently.
 */
function withLimit(database: DatabaseSync, text: string, names: readonly string[]): StatementSync | undefined {
  try {
    const limited = database.prepare(`SELECT * FROM ${asTable(text)} LIMIT CAST(:${maxRowsParameter} AS INTEGER)`);
    const named = columnsOf(limited);
    return named.length === names.length && named.every((name, index) => name === names[index]) ? limited : undefined;
  } catch (thrown) {
    if (isOfStatement(thrown) && !isBusy(thrown)) return undefined;
    throw thrown;
  }
}

/** `values` by position, as an array holds them; the type says objects. */
function toRow(names: readonly string[], values: Readonly<Record<number, SqlValue>>): SqlRow {
  const row: Record<string, SqlValue> = {};
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ""] = values[index] ?? null;
  return row;
}

/**
 * Rows come as arrays, all together: an object of node:sqlite, and each step of its iterators, has its own hidden
 * class, which lives until the next full collection. Valid until the schema changes, because the names are kept.
 */
function prepareQuery(database: DatabaseSync, text: string): SqliteQuery {
  const plain = database.prepare(text);
  const names = columnsOf(plain);
  const limited = withLimit(database, text, names);
  if (limited === undefined) return (parameters, maxRows) => plain.iterate(parameters).take(maxRows).toArray();
  limited.setReturnArrays(true);
  return (parameters, maxRows) => {
    parameters[maxRowsParameter] = maxRows;
    return limited.all(parameters).map((values) => toRow(names, values));
  };
}

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
  const make = () =>
    remembering(maxStatements, (statement) => ({
      run: prepareQuery(database, statement),
      parameters: parametersOf(statement),
    }));
  let queryOf = make();
  let preparedFor: number | undefined;
  return (statement: string, schema: number) => {
    if (schema !== preparedFor) queryOf = make();
    preparedFor = schema;
    return queryOf(statement);
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
  const prepare = remembering(maxStatements, (text) => ({
    statement: database.prepare(text),
    parameters: parametersOf(text),
  }));

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
