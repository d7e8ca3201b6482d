import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { asTable } from "./dialect.ts";
import type { SqlRow, SqlValue } from "./sql-client.ts";
import { isBusy, isOfStatement } from "./sqlite-errors.ts";

export type BoundParameters = Record<string, SQLInputValue>;

/** A prepared query, which reads no more than so many rows. */
export type SqliteQuery = (parameters: BoundParameters, maxRows: number) => readonly SqlRow[];

/** Beside the parameters of the site's own. */
const maxRowsParameter = "postern_max_rows";

export function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/**
 * The same rows with an end: not the parameter itself, for which SQLite would plan the query anew each time. Undefined
 * where SQLite takes no such query, or names its columns otherwise.
 */
function withLimit(database: DatabaseSync, text: string, names: readonly string[]): StatementSync | undefined {
  try {
    const limited = database.prepare(`SELECT * FROM ${asTable(text)} LIMIT CAST(:${maxRowsParameter} AS INTEGER)`);
    const named = columnsOf(limited);
    return named.length === names.length && named.every((name, nth) => name === names[nth]) ? limited : undefined;
  } catch (thrown) {
    if (isOfStatement(thrown) && !isBusy(thrown)) return undefined;
    throw thrown;
  }
}

/** `values` by their places, as an array has them; its type says objects. */
function toRow(names: readonly string[], values: Readonly<Record<number, SqlValue>>): SqlRow {
  const row: Record<string, SqlValue> = {};
  for (let nth = 0; nth < names.length; nth += 1) row[names[nth] ?? ""] = values[nth] ?? null;
  return row;
}

/**
 * Rows come as arrays, all at once: an object of node:sqlite, and each step of its iterators, brings a hidden class of
 * its own, which lives until the next full collection. Holds until the schema changes, as the names are kept.
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
