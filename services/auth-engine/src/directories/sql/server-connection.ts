import { readFile } from "node:fs/promises";
import type { FailureKind } from "../servers/errors.ts";
import type { PooledConnection } from "../servers/slot.ts";
import type { SqlDialect } from "./dialect.ts";
import type { SqlServerAddress, SqlServerSettings, SqlTlsSettings } from "./server-settings.ts";
import type { SqlRow, SqlValue } from "./sql-client.ts";

export interface SqlResult {
  readonly rows: readonly SqlRow[];
  readonly columns: readonly string[];
  /** Rows that a change found. */
  readonly affected: number;
}

/** One connection of a driver. It takes one statement at a time; a statement that gets no answer in time closes it. */
export interface SqlConnection extends PooledConnection {
  run(text: string, values: readonly SqlValue[]): Promise<SqlResult>;
}

/** A database's wire protocol. */
export interface SqlDriver {
  readonly dialect: Exclude<SqlDialect, "sqlite">;
  /** Throws `RefusedAccountError` when the server wants none of our account. */
  connect(address: SqlServerAddress, settings: SqlServerSettings, onClose: () => void): Promise<SqlConnection>;
  classify(error: unknown): FailureKind;
}

/** The server took a statement and went silent. */
export class SqlTimeoutError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = "SqlTimeoutError";
  }
}

/** The promise, or `SqlTimeoutError` after calling `onTimeout`. */
export async function withinMs<T>(promise: Promise<T>, ms: number, onTimeout: () => void): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new SqlTimeoutError(ms));
    onTimeout();
  }, ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

export interface SqlTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly rejectUnauthorized: boolean;
  readonly minVersion: "TLSv1.2";
}

/** Read at each connection, so that a renewed file is used by the next one. */
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
