import { within } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { PooledConnection } from "../servers/connection-pool-options.ts";
import type { FailureKind } from "../servers/errors.ts";
import { readTlsFiles, type TlsSettings } from "../servers/server-settings.ts";
import type { SqlDialect } from "./placeholders.ts";
import type { SqlRow, SqlValue } from "./sql-client.ts";
import type { SqlServerAddress, SqlServerSettings } from "./sql-settings.ts";

export interface SqlResult {
  readonly rows: readonly SqlRow[];
  readonly columns: readonly string[];
  /** Number of rows that a change matched. */
  readonly affected: number;
}

/** One connection of a driver. It runs one statement at a time; a statement without an answer in time closes it. */
export interface SqlConnection extends PooledConnection {
  run(text: string, values: readonly SqlValue[]): Promise<SqlResult>;
}

/** A database's wire protocol. */
export interface SqlDriver {
  readonly dialect: Exclude<SqlDialect, "sqlite">;
  /** Throws `RefusedAccountError` if the server rejects the service account. */
  connect(address: SqlServerAddress, settings: SqlServerSettings, onClose: () => void): Promise<SqlConnection>;
  classify(error: unknown): FailureKind;
}

/** The server accepted a statement and did not answer. */
class SqlTimeoutError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = "SqlTimeoutError";
  }
}

/** Settles like the promise, or rejects with `SqlTimeoutError` and calls `onTimeout`. */
export async function withinMs<T>(promise: Promise<T>, ms: number, onTimeout: () => void): Promise<T> {
  try {
    return await within(promise, ms, () => new SqlTimeoutError(ms));
  } catch (error) {
    if (error instanceof SqlTimeoutError) onTimeout();
    throw error;
  }
}

export type SqlTls = NonNullable<Awaited<ReturnType<typeof readSqlTls>>>;

export async function readSqlTls(tls: TlsSettings | undefined) {
  return tls && { ...(await readTlsFiles(tls)), minVersion: "TLSv1.2" as const };
}

/** What a failure says about its server, by the code in the database's own error. */
export function classifierOf<Code>(
  codeOf: (error: unknown) => Code | undefined,
  isTimeout: (code: Code) => boolean,
  cannotServe: (code: Code) => boolean,
) {
  return (error: unknown): FailureKind => {
    if (error instanceof AppError) return "answer";
    if (error instanceof SqlTimeoutError) return "timeout";
    const code = codeOf(error);
    if (code === undefined) return "lost";
    if (isTimeout(code)) return "timeout";
    return cannotServe(code) ? "refused" : "answer";
  };
}
