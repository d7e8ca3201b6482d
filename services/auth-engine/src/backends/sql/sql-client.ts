import type { BackendContext } from "../backend.ts";
import type { SqlDialect } from "./placeholders.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** `parameters` holds values only, never SQL. Values that the statement does not name are ignored. */
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
 * Port of the databases. Every failure is thrown as an `AppError`: `DIRECTORY_UNAVAILABLE`, `DIRECTORY_OVERLOADED`,
 * `DEADLINE_EXCEEDED`, `REQUEST_ABORTED`.
 */
export interface SqlClient {
  readonly dialect: SqlDialect;
  query(query: SqlQuery, context: BackendContext): Promise<readonly SqlRow[]>;
  /** Runs all statements or none; returns how many rows each changed. Never retried: a lost connection is an error. */
  execute(statements: readonly SqlStatement[], context: BackendContext): Promise<readonly number[]>;
  /** The names of the columns that a statement returns. */
  describe(statement: string, context: BackendContext): Promise<readonly string[]>;
  close(): Promise<void>;
}
