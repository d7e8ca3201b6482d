import mysql, {
  type Connection,
  type ConnectionOptions,
  type FieldPacket,
  type QueryError,
  type ResultSetHeader,
  type RowDataPacket,
} from "mysql2";
import { RefusedAccountError } from "../servers/errors.ts";
import {
  classifierOf,
  readSqlTls,
  type SqlConnection,
  type SqlDriver,
  type SqlResult,
  type SqlTls,
  withinMs,
} from "./server-connection.ts";
import type { SqlRow, SqlValue } from "./sql-client.ts";
import type { SqlServerAddress, SqlServerSettings } from "./sql-settings.ts";

/** Errors of a server that works but cannot serve now: full, shutting down, read-only. */
const cannotServe = new Set([1040, 1053, 1203, 1226, 1290, 1836, 1927]);
/** Errors of the service account or its database. */
const refusedAccount = new Set([1044, 1045, 1049, 1698]);
const statementTimeouts = new Set([1205, 1317, 1969, 3024]);
/** A site has fewer queries. */
const maxPreparedStatements = 128;

function errorNumber(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errno" in error) || typeof error.errno !== "number") return undefined;
  return error.errno > 0 && "sqlState" in error ? error.errno : undefined;
}

const classify = classifierOf(
  errorNumber,
  (number) => statementTimeouts.has(number),
  (number) => cannotServe.has(number),
);

type Rows = RowDataPacket[] | ResultSetHeader;

function isRows(result: Rows): result is RowDataPacket[] {
  return Array.isArray(result);
}

function toResult(result: Rows, fields: readonly FieldPacket[] | undefined): SqlResult {
  const columns = (fields ?? []).map(({ name }) => name);
  if (!isRows(result)) return { rows: [], columns, affected: result.affectedRows };
  return { rows: result.map((row): SqlRow => ({ ...row })), columns, affected: 0 };
}

/** Returns values as text if a number would lose digits, and JSON unchanged. */
const valuesAsText = { supportBigNumbers: true, bigNumberStrings: true, dateStrings: true, jsonStrings: true };

function optionsOf(
  { host, port }: SqlServerAddress,
  { connectTimeoutMs, database, user, password }: SqlServerSettings,
  ssl: SqlTls | undefined,
): ConnectionOptions {
  return {
    host,
    port,
    database,
    user,
    password: password.reveal(),
    ...(ssl === undefined ? {} : { ssl: { ...ssl, verifyIdentity: ssl.rejectUnauthorized } }),
    connectTimeout: connectTimeoutMs,
    charset: "utf8mb4",
    ...valuesAsText,
    maxPreparedStatements,
  };
}

function execute(connection: Connection, text: string, values: readonly SqlValue[]): Promise<SqlResult> {
  return new Promise((resolve, reject) => {
    const done = (error: QueryError | null, result: Rows, fields: readonly FieldPacket[] | undefined): void => {
      if (error === null) resolve(toResult(result, fields));
      else reject(error);
    };
    // Not all statements can be prepared (START TRANSACTION); statements without values do not need it.
    if (values.length === 0) connection.query<Rows>(text, done);
    else connection.execute<Rows>(text, [...values], done);
  });
}

async function connect(
  address: SqlServerAddress,
  settings: SqlServerSettings,
  onClose: () => void,
): Promise<SqlConnection> {
  const { connectTimeoutMs, queryTimeoutMs, tls } = settings;
  const connection = mysql.createConnection(optionsOf(address, settings, await readSqlTls(tls)));
  let isAlive = true;
  const ended = (): void => {
    if (!isAlive) return;
    isAlive = false;
    onClose();
  };
  const close = (): void => {
    connection.destroy();
    ended();
  };
  connection.on("error", close);
  connection.on("end", ended);
  try {
    const opening = new Promise<void>((resolve, reject) => {
      connection.connect((error: QueryError | null) => (error === null ? resolve() : reject(error)));
    });
    await withinMs(opening, connectTimeoutMs, close);
  } catch (error) {
    close();
    if (refusedAccount.has(errorNumber(error) ?? 0)) throw new RefusedAccountError(address.uri, error);
    throw error;
  }
  return {
    get isAlive() {
      return isAlive;
    },
    close,
    run: (text, values) => withinMs(execute(connection, text, values), queryTimeoutMs, close),
  };
}

/** The protocol of MySQL and MariaDB by `mysql2`: server-side prepared statements, so values never enter the text. */
export const mysqlDriver: SqlDriver = { dialect: "mysql", connect, classify };
