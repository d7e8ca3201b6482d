import type { Config, SqlPoolConfig, SqlSearchConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { parseHostPort } from "@postern/shared/platform/net";
import { breakerSettings, optional, type Settings, tlsSettings } from "../servers/server-settings.ts";
import type { MfaStatementName } from "./factor-statements.ts";

export type SqlSearchSettings = Settings<ReturnType<typeof sqlSearchSettings>>;
export type SqlMfaSettings = NonNullable<SqlSearchSettings["mfa"]>;
export type SqlDatabaseSettings = Settings<ReturnType<typeof databaseSettings>>;
export type SqlServerSettings = Extract<SqlDatabaseSettings, { readonly servers: unknown }>["servers"];
export type SqlServerAddress = SqlServerSettings["servers"][number];

export interface SqlBackendSettings {
  readonly name: string;
  readonly searches: readonly SqlSearchSettings[];
}

/** Second factors and app passwords: prefix of Postern's own tables, and the site's statements instead of those for them. */
function mfaSettings({ enabled, table_prefix, queries }: SqlSearchConfig["mfa"]) {
  if (!enabled) return undefined;
  const configured = Object.entries(queries).filter(([, statement]) => statement !== "");
  const statements: Partial<Record<MfaStatementName, string>> = Object.fromEntries(configured);
  return { tablePrefix: table_prefix, statements };
}

/** One of the site's searches: the query for some protocols, and the meaning of its columns. */
export function sqlSearchSettings({ protocol, queries, mapping, attribute, mfa }: SqlSearchConfig) {
  return {
    /** Matched exactly; `*` serves the protocols that no other entry names. */
    protocols: protocol,
    /** Returns one row for a known name, none for an unknown one. */
    userQuery: queries.user,
    listAccountsQuery: optional(queries.list_accounts),
    upgradePasswordQuery: optional(queries.upgrade_password),
    accountField: mapping.account_field,
    passwordColumn: mapping.password_column,
    /** Empty if the backend stores none. */
    totpSecretField: mapping.totp_secret_field,
    disabledColumn: optional(mapping.disabled_column),
    displayNameField: optional(mapping.display_name_field),
    uniqueUserIdField: optional(mapping.unique_user_id_field),
    mfa: mfaSettings(mfa),
    attributes: attribute,
  };
}

function serverAddress(text: string) {
  const parsed = parseHostPort(text);
  if (parsed === undefined)
    throw new AppError("CONFIG_INVALID", { detail: `invalid database server ${text}: use host:port` });
  return { uri: text, ...parsed };
}

/** A SQLite file, or a set of equal servers: a primary with its standbys behind one account. */
function databaseSettings(pool: SqlPoolConfig) {
  if (pool.driver === "sqlite") {
    const { file, seed_file, busy_timeout: busyTimeoutMs } = pool;
    return { driver: "sqlite" as const, file, seedFile: optional(seed_file), busyTimeoutMs };
  }
  return {
    driver: pool.driver,
    servers: {
      servers: pool.server.map(serverAddress),
      database: pool.database,
      user: pool.user,
      password: new Secret(pool.password),
      tls: pool.tls ? tlsSettings(pool) : undefined,
      poolSize: pool.pool_size,
      queueLength: pool.queue_length,
      connectTimeoutMs: pool.connect_timeout,
      queryTimeoutMs: pool.query_timeout,
      breaker: breakerSettings(pool),
      healthCheckIntervalMs: pool.health_check_interval,
    },
  };
}

/** `sql` is the default database, `sql(pool)` another one; each uses the searches that name it. */
export function sqlBackendSettings(
  { default: defaultPool, pools, search }: Config["auth"]["backends"]["sql"],
  name: string,
  pool = "default",
): { readonly settings: SqlBackendSettings; readonly database: SqlDatabaseSettings } {
  const database = pool === "default" ? defaultPool : pools[pool];
  if (database === undefined)
    throw new AppError("CONFIG_INVALID", { detail: `the SQL pool ${pool} is not configured` });
  const searches = search.filter(({ pool_name }) => pool_name === pool).map(sqlSearchSettings);
  return { settings: { name, searches }, database: databaseSettings(database) };
}

/** The search that lists the protocol, else the one for `*`, else undefined. */
export function selectSearch(searches: readonly SqlSearchSettings[], protocol: string): SqlSearchSettings | undefined {
  return (
    searches.find(({ protocols }) => protocols.includes(protocol)) ??
    searches.find(({ protocols }) => protocols.includes("*"))
  );
}
