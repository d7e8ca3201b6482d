import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { AppError } from "@postern/shared/platform/errors";
import { asTable } from "./dialect.ts";
import type { SqlRow, SqlValue } from "./sql-client.ts";

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

export type BoundParameters = Record<string, SQLInputValue>;

/** A prepared query that reads at most a given number of rows. */
export type SqliteQuery = (parameters: BoundParameters, maxRows: number) => readonly SqlRow[];

/** Used beside the parameters of the site's query. */
const maxRowsParameter = "postern_max_rows";

export function columnsOf(statement: StatementSync): readonly string[] {
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
export function prepareQuery(database: DatabaseSync, text: string): SqliteQuery {
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
