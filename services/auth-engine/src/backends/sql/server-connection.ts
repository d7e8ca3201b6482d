import { readFile } from "node:fs/promises";
import { within } from "@postern/shared/platform/concurrency";
import type { FailureKind } from "../servers/errors.ts";
import type { PooledConnection } from "../servers/slot.ts";
import type { SqlDialect } from "./dialect.ts";
import type { SqlServerAddress, SqlServerSettings, SqlTlsSettings } from "./server-settings.ts";
import type { SqlRow, SqlValue } from "./sql-client.ts";

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
export class SqlTimeoutError extends Error {
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

export interface SqlTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly rejectUnauthorized: boolean;
  readonly minVersion: "TLSv1.2";
}

/** Read for each connection, so that the next one uses a renewed file. */
export async function readSqlTls(tls: SqlTlsSettings): Promise<SqlTls | undefined> {
  if (!tls.enabled) return undefined;
  const [ca, cert, key] = await Promise.all(
    [tls.caCertFile, tls.certFile, tls.keyFile].map(async (file) => (file === undefined ? undefined : readFile(file))),
  );
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    rejectUnauthorized: !tls.skipVerify,
    minVersion: "TLSv1.2",
  };
}
