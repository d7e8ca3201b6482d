import { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import { RefusedAccountError } from "../servers/errors.ts";
import { classifierOf, readSqlTls, type SqlConnection, type SqlDriver, withinMs } from "./server-connection.ts";
import type { SqlServerAddress, SqlServerSettings } from "./sql-settings.ts";

/**
 * SQLSTATE (PostgreSQL manual, appendix A) of a server that works but cannot serve now: full, shutting down, a standby.
 */
const cannotServe = /^(?:53...|57P0[1-5]|25006|08...)$/;
/** Errors of the service account or its database. */
const refusedAccount = /^(?:28...|3D000)$/;
const statementTimeout = "57014";

function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

const classify = classifierOf(
  sqlState,
  (state) => state === statementTimeout,
  (state) => cannotServe.test(state),
);

/** Returns all values in the server's text form: numbers keep their digits and times their zone. */
const asText = { getTypeParser: () => (value: unknown) => value };

async function connect(
  address: SqlServerAddress,
  settings: SqlServerSettings,
  onClose: () => void,
): Promise<SqlConnection> {
  const { connectTimeoutMs, queryTimeoutMs, database, user, password, tls } = settings;
  const ssl = await readSqlTls(tls);
  // Uses our own socket, because the client's way of closing waits for the server.
  const socket = new Socket();
  const client = new Client({
    host: address.host,
    port: address.port,
    database,
    user,
    password: password.reveal(),
    ssl: ssl ?? false,
    keepAlive: true,
    application_name: "postern",
    stream: () => socket,
    types: asText,
  });
  let isAlive = true;
  const close = (): void => {
    isAlive = false;
    socket.destroy();
  };
  client.on("error", close);
  socket.on("close", () => {
    isAlive = false;
    onClose();
  });
  try {
    const opening = client.connect().then(() => client.query(`SET statement_timeout = ${Math.ceil(queryTimeoutMs)}`));
    await withinMs(opening, connectTimeoutMs, close);
  } catch (error) {
    close();
    if (refusedAccount.test(sqlState(error) ?? "")) throw new RefusedAccountError(address.uri, error);
    throw error;
  }
  return {
    get isAlive() {
      return isAlive;
    },
    close,
    async run(text, values) {
      const answer = client.query({ text, values: [...values] });
      const { rows, fields, rowCount } = await withinMs(answer, queryTimeoutMs, close);
      return { rows, columns: fields.map(({ name }) => name), affected: rowCount ?? 0 };
    },
  };
}

/** PostgreSQL's protocol by `pg`: values travel separately from the statement (extended query). */
export const postgresqlDriver: SqlDriver = { dialect: "postgresql", connect, classify };
