import type { DirectoryContext } from "../directory.ts";

export type SqlValue = string | number | bigint | Uint8Array | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface SqlQuery {
  /** With named parameters (`:username`); only values travel in `parameters`, never pieces of SQL. */
  readonly statement: string;
  /** Those that the statement does not name are left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Rows after this many are not read. */
  readonly maxRows: number;
}

/**
 * Port of the databases. Everything that keeps one from answering is thrown as an `AppError`: `DIRECTORY_UNAVAILABLE`,
 * `DEADLINE_EXCEEDED`, `REQUEST_ABORTED`.
 */
export interface SqlClient {
  query(query: SqlQuery, context: DirectoryContext): Promise<readonly SqlRow[]>;
  /** The names of the columns that a statement gives. */
  describe(statement: string, context: DirectoryContext): Promise<readonly string[]>;
  close(): Promise<void>;
}
