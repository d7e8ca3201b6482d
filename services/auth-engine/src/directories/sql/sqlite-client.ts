import { setTimeout as delay } from "node:timers/promises";
import type { Awaitable } from "@postern/shared/async";
import { AppError } from "@postern/shared/errors";
import { type Clock, systemClock } from "@postern/shared/time";
import type { DirectoryContext } from "../directory.ts";
import type { SqlClient } from "./sql-client.ts";
import { openSqliteConnection, type SqliteConnection } from "./sqlite-connection.ts";
import { isBusy, isOfStatement, toDirectoryError } from "./sqlite-errors.ts";

export interface SqliteClientOptions {
  readonly file: string;
  /** How long a query waits for another process's lock; its deadline ends the waiting earlier. */
  readonly busyTimeoutMs: number;
  readonly clock?: Clock | undefined;
}

const busyRetryMs = 10;
/** After a database could not be opened or read, no new attempt for this long. */
const reopenBackoffMs = 250;
/** How often the path is compared with the open file, which would go on answering after its deletion. */
const fileCheckIntervalMs = 250;

/**
 * An SQLite database, asked on the event loop: a query by key takes a quarter of what crossing to a thread and
 * back costs (ADR 0058). It opens with the first query, and again after an error or once the file was replaced,
 * so that a database that comes back is used without a restart.
 */
export function createSqliteClient(options: SqliteClientOptions): SqlClient {
  const reading = createSqliteAccess({ ...options, readOnly: true });
  // Opened by the first change, so that a site that changes nothing needs no right to.
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

interface SqliteAccess {
  /** At once, unless another process holds a lock. */
  run<T>(use: (connection: SqliteConnection) => T, context: DirectoryContext): Awaitable<T>;
  endReading(): void;
  close(): void;
}

function isUsable(connection: SqliteConnection | undefined, isCheckDue: boolean): boolean {
  return connection === undefined || (connection.isOpen() && (!isCheckDue || connection.isCurrent()));
}

interface SqliteAccessOptions extends SqliteClientOptions {
  readonly readOnly: boolean;
}

function createSqliteAccess(options: SqliteAccessOptions): SqliteAccess {
  const { file, busyTimeoutMs, readOnly, clock = systemClock } = options;
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
      const error = toDirectoryError(thrown);
      failure = { error, until: performance.now() + reopenBackoffMs };
      throw error;
    }
  };

  const retry = { forMs: busyTimeoutMs, clock };

  return {
    run: (use, context) => {
      checkDeadline(context, clock);
      try {
        return attempt(use);
      } catch (thrown) {
        if (!isBusy(thrown)) throw toDirectoryError(thrown);
        return tryAgain(() => attempt(use), context, retry);
      }
    },
    endReading: () => connection?.endReading(),
    close() {
      isClosed = true;
      drop();
    },
  };
}

/** Until no other process holds a lock, or for so long. */
async function tryAgain<T>(
  attempt: () => T,
  context: DirectoryContext,
  { forMs, clock }: { readonly forMs: number; readonly clock: Clock },
): Promise<T> {
  const patientUntil = performance.now() + forMs;
  for (;;) {
    await delay(busyRetryMs);
    if (context.signal.aborted) throw new AppError("REQUEST_ABORTED");
    checkDeadline(context, clock);
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= patientUntil) throw toDirectoryError(thrown);
    }
  }
}

/** The signal is looked at only by who waits: asking for it makes one. */
function checkDeadline({ deadline }: DirectoryContext, clock: Clock): void {
  if (clock.now() >= deadline) throw new AppError("DEADLINE_EXCEEDED");
}
