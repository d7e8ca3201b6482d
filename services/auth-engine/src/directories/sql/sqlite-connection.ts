import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlQuery, SqlRow } from "./sql-client.ts";
import { findStatementParameters } from "./statement-parameters.ts";

/** An open database, for reading only, with the statements prepared so far (as many as the settings have queries). */
export interface SqliteConnection {
  query(query: SqlQuery): readonly SqlRow[];
  describe(statement: string): readonly string[];
  /** False once the path names another file than the one that is open, or none. */
  isCurrent(): boolean;
  close(): void;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly parameters: readonly string[];
}

/** Throws SQLite's errors. A lock is an error at once: SQLite's own waiting would stop the event loop. */
export function openSqliteConnection(file: string): SqliteConnection {
  const identity = identify(file);
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0, readBigInts: true });
  const prepared = new Map<string, Prepared>();

  const prepare = (text: string): Prepared => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const parameters = findStatementParameters(text).map((parameter) => parameter.slice(1));
    const made = { statement: database.prepare(text), parameters };
    prepared.set(text, made);
    return made;
  };

  return {
    query({ statement, parameters, maxRows }) {
      const { statement: ready, parameters: names } = prepare(statement);
      const bound = Object.fromEntries(names.map((name) => [name, parameters[name] ?? null]));
      return ready.iterate(bound).take(maxRows).toArray();
    },
    describe: (statement) =>
      prepare(statement)
        .statement.columns()
        .map(({ name }) => name),
    isCurrent: () => identity !== undefined && identify(file) === identity,
    close: () => database.close(),
  };
}

/** Device and inode: an open file keeps its own, even when its path was given to another. */
function identify(file: string): string | undefined {
  const status = statSync(file, { throwIfNoEntry: false });
  return status === undefined ? undefined : `${status.dev}:${status.ino}`;
}
