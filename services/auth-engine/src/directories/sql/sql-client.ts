import type { Awaitable } from "@postern/shared/async";
import type { DirectoryContext } from "../directory.ts";
import type { SqlDialect } from "./dialect.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Only values travel in `parameters`, never pieces of SQL. Those that the statement does not name are left out. */
export interface SqlStatement {
  /** With named parameters (`:username`). */
  readonly statement: string;
  readonly parameters: Readonly<Record<string, string | number | null>>;
}

export interface SqlQuery extends SqlStatement {
  /** Rows after this many are not read. */
  readonly maxRows: number;
}

/**
 * Port of the databases. Everything that keeps one from answering is thrown as an `AppError`: `DIRECTORY_UNAVAILABLE`,
 * `DIRECTORY_OVERLOADED`, `DEADLINE_EXCEEDED`, `REQUEST_ABORTED`.
 */
export interface SqlClient {
  readonly dialect: SqlDialect;
  query(query: SqlQuery, context: DirectoryContext): Awaitable<readonly SqlRow[]>;
  /** Changes rows, all statements or none; how many rows each found. Never done twice: what got lost is an error. */
  execute(statements: readonly SqlStatement[], context: DirectoryContext): Promise<readonly number[]>;
  /** The names of the columns that a statement gives. */
  describe(statement: string, context: DirectoryContext): Promise<readonly string[]>;
  close(): Promise<void>;
}
