import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { BackendContext } from "../backend.ts";
import type { SqlClient } from "./sql-client.ts";
import type { SqlDatabaseSettings } from "./sql-settings.ts";
import {
  isBusy,
  isOfStatement,
  openSqliteConnection,
  type SqliteConnection,
  toBackendError,
} from "./sqlite-connection.ts";

/** `busyTimeoutMs`: how long a query waits for another process's lock, unless its deadline ends earlier. */
type SqliteClientOptions = Pick<Extract<SqlDatabaseSettings, { driver: "sqlite" }>, "file" | "busyTimeoutMs">;

const busyRetryMs = 10;
/** Pause after a database could not be opened or read. */
const reopenBackoffMs = 250;
/** How often the path is compared with the open file, which stays readable after its deletion. */
const fileCheckIntervalMs = 250;

/**
 * An SQLite database, queried on the event loop: a query by key takes a quarter of the cost of a round trip to a thread
 * (docs/contributing/performance.md). It opens with the first query, and again after an error or when the file was replaced, so a
 * restored database needs no restart.
 */
export function createSqliteClient(options: SqliteClientOptions): SqlClient {
  const reading = createSqliteAccess({ ...options, readOnly: true });
  // Opened by the first change, so that a site without changes needs no write permission.
  const writing = createSqliteAccess({ ...options, readOnly: false });
  return {
    dialect: "sqlite",
    query: (query, context) => reading.run((connection) => connection.query(query), context),
    execute: async (statements, context) =>
      writing.run((connection) => {
        reading.endReading();
        return connection.execute(statements);
      }, context),
    describe: async (statement, context) => reading.run((connection) => connection.describe(statement), context),
    async close() {
      reading.close();
      writing.close();
    },
  };
}

function isUsable(connection: SqliteConnection | undefined, isCheckDue: boolean): boolean {
  return connection === undefined || (connection.isOpen() && (!isCheckDue || connection.isCurrent()));
}

function createSqliteAccess({ file, busyTimeoutMs, readOnly }: SqliteClientOptions & { readonly readOnly: boolean }) {
  let connection: SqliteConnection | undefined;
  let checkAt = 0;
  let failure: { readonly error: AppError; readonly until: number } | undefined;
  let isClosed = false;

  const drop = (): void => {
    connection?.close();
    connection = undefined;
  };

  const connect = (): SqliteConnection => {
    if (isClosed) throw new AppError("SHUTTING_DOWN");
    const now = performance.now();
    if (!isUsable(connection, now >= checkAt)) drop();
    if (connection === undefined && failure !== undefined && now < failure.until) throw failure.error;
    if (connection === undefined || now >= checkAt) checkAt = now + fileCheckIntervalMs;
    connection ??= openSqliteConnection(file, { readOnly });
    return connection;
  };

  const attempt = <T>(use: (connection: SqliteConnection) => T): T => {
    try {
      return use(connect());
    } catch (thrown) {
      checkAt = 0;
      if (isOfStatement(thrown) || thrown instanceof AppError) throw thrown;
      drop();
      const error = toBackendError(thrown);
      failure = { error, until: performance.now() + reopenBackoffMs };
      throw error;
    }
  };

  return {
    /** Answers immediately, unless another process holds a lock. */
    run: async <T>(use: (connection: SqliteConnection) => T, context: BackendContext): Promise<T> => {
      checkDeadline(context);
      try {
        return attempt(use);
      } catch (thrown) {
        if (!isBusy(thrown)) throw toBackendError(thrown);
        return tryAgain(() => attempt(use), context, busyTimeoutMs);
      }
    },
    endReading: (): void => connection?.endReading(),
    close(): void {
      isClosed = true;
      drop();
    },
  };
}

/** Retries until no other process holds a lock, for a limited time. */
async function tryAgain<T>(attempt: () => T, context: BackendContext, forMs: number): Promise<T> {
  const patientUntil = performance.now() + forMs;
  for (;;) {
    await delay(busyRetryMs);
    if (context.signal.aborted) throw new AppError("REQUEST_ABORTED");
    checkDeadline(context);
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= patientUntil) throw toBackendError(thrown);
    }
  }
}

/** The signal is read only while waiting, because reading it creates one. */
function checkDeadline({ deadline }: BackendContext): void {
  if (steadyClock.now() >= deadline) throw new AppError("DEADLINE_EXCEEDED");
}
