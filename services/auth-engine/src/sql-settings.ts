import type { Config, SqlPoolConfig, SqlSearchConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { parseHostPort } from "@postern/shared/platform/net";
import type { SqlServerAddress } from "./backends/sql/server-settings.ts";
import type {
  SqlBackendSettings,
  SqlDatabaseSettings,
  SqlMfaSettings,
  SqlSearchSettings,
} from "./backends/sql/settings.ts";

type SqlBackendConfig = Config["auth"]["backends"]["sql"];

function optional(text: string): string | undefined {
  return text === "" ? undefined : text;
}

function mfaSettings({ enabled, table_prefix, queries }: SqlSearchConfig["mfa"]): SqlMfaSettings | undefined {
  if (!enabled) return undefined;
  const configured = Object.entries(queries).filter(([, statement]) => statement !== "");
  return { tablePrefix: table_prefix, statements: Object.fromEntries(configured) };
}

export function sqlSearchSettings({ protocol, queries, mapping, attribute, mfa }: SqlSearchConfig): SqlSearchSettings {
  return {
    protocols: protocol,
    userQuery: queries.user,
    listAccountsQuery: optional(queries.list_accounts),
    upgradePasswordQuery: optional(queries.upgrade_password),
    accountField: mapping.account_field,
    passwordColumn: mapping.password_column,
    totpSecretField: mapping.totp_secret_field,
    disabledColumn: optional(mapping.disabled_column),
    displayNameField: optional(mapping.display_name_field),
    uniqueUserIdField: optional(mapping.unique_user_id_field),
    mfa: mfaSettings(mfa),
    attributes: attribute,
  };
}

function serverAddress(text: string): SqlServerAddress {
  const parsed = parseHostPort(text);
  if (parsed === undefined)
    throw new AppError("CONFIG_INVALID", { detail: `invalid database server ${text}: use host:port` });
  return { uri: text, ...parsed };
}

function databaseSettings(pool: SqlPoolConfig): SqlDatabaseSettings {
  if (pool.driver === "sqlite") {
    const { file, seed_file, busy_timeout: busyTimeoutMs } = pool;
    return { driver: "sqlite", file, seedFile: optional(seed_file), busyTimeoutMs };
  }
  return {
    driver: pool.driver,
    servers: {
      servers: pool.server.map(serverAddress),
      database: pool.database,
      user: pool.user,
      password: new Secret(pool.password),
      tls: {
        enabled: pool.tls,
        caCertFile: optional(pool.tls_ca_cert),
        certFile: optional(pool.tls_client_cert),
        keyFile: optional(pool.tls_client_key),
        skipVerify: pool.tls_skip_verify,
      },
      poolSize: pool.pool_size,
      queueLength: pool.queue_length,
      connectTimeoutMs: pool.connect_timeout,
      queryTimeoutMs: pool.query_timeout,
      breaker: {
        failureThreshold: pool.cb_failure_threshold,
        cooldownMs: pool.cb_cooldown,
        halfOpenMax: pool.cb_half_open_max,
      },
      healthCheckIntervalMs: pool.health_check_interval,
    },
  };
}

/** `sql` is the default database, `sql(pool)` another one; each uses the searches that name it. */
export function sqlBackendSettings(
  { default: defaultPool, pools, search }: SqlBackendConfig,
  name: string,
  pool = "default",
): { readonly settings: SqlBackendSettings; readonly database: SqlDatabaseSettings } {
  const database = pool === "default" ? defaultPool : pools[pool];
  if (database === undefined)
    throw new AppError("CONFIG_INVALID", { detail: `the SQL pool ${pool} is not configured` });
  const searches = search.filter(({ pool_name }) => pool_name === pool).map(sqlSearchSettings);
  return { settings: { name, searches }, database: databaseSettings(database) };
}
