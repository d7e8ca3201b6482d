import { availableParallelism } from "node:os";
import type { Config, LdapPoolConfig, LdapSearchConfig } from "@postern/shared/config";
import { Secret } from "@postern/shared/crypto";
import type { LdapDirectorySettings, LdapPoolSettings, LdapSearchSettings } from "./directories/ldap/settings.ts";
import type { SqlDatabaseSettings, SqlDirectorySettings } from "./directories/sql/settings.ts";
import type { AuthWaitSettings } from "./pipeline/auth-wait.ts";
import { sqlDirectorySettings } from "./sql-settings.ts";

/** One entry of `auth.backends.order`, with what it needs. */
export type DirectorySettings =
  | { readonly kind: "sql"; readonly settings: SqlDirectorySettings; readonly database: SqlDatabaseSettings }
  | { readonly kind: "ldap"; readonly settings: LdapDirectorySettings };

export interface EngineSettings {
  readonly privateAddress: string;
  readonly maxInFlight: number;
  readonly oauthBearer: { readonly enabled: boolean; readonly ignoreCase: boolean };
  readonly hashing: { readonly concurrency: number; readonly maxQueued: number };
}

/** What a reload swaps, as a whole. */
export interface LiveEngineSettings {
  readonly directories: readonly DirectorySettings[];
  readonly authWait: AuthWaitSettings;
}

function optional(text: string): string | undefined {
  return text === "" ? undefined : text;
}

function ldapPool(pool: LdapPoolConfig): LdapPoolSettings {
  return {
    serverUris: pool.server_uri,
    bindDn: pool.bind_dn,
    bindPassword: new Secret(pool.bind_pw),
    saslExternal: pool.sasl_external,
    startTls: pool.starttls,
    tls: {
      caCertFile: optional(pool.tls_ca_cert),
      certFile: optional(pool.tls_client_cert),
      keyFile: optional(pool.tls_client_key),
      skipVerify: pool.tls_skip_verify,
    },
    lookupPoolSize: pool.lookup_pool_size,
    authPoolSize: pool.auth_pool_size,
    lookupQueueLength: pool.lookup_queue_length,
    authQueueLength: pool.auth_queue_length,
    connectTimeoutMs: pool.connect_abort_timeout,
    searchTimeoutMs: pool.search_timeout,
    bindTimeoutMs: pool.bind_timeout,
    searchTimeLimitSeconds: Math.ceil(pool.search_time_limit / 1000),
    breaker: {
      failureThreshold: pool.cb_failure_threshold,
      cooldownMs: pool.cb_cooldown,
      halfOpenMax: pool.cb_half_open_max,
    },
    healthCheckIntervalMs: pool.health_check_interval,
    healthCheckTimeoutMs: pool.health_check_timeout,
  };
}

function ldapSearch({
  protocol,
  pool_name,
  base_dn,
  scope,
  filter,
  mapping,
  attribute,
}: LdapSearchConfig): LdapSearchSettings {
  return {
    protocols: protocol,
    poolName: pool_name,
    baseDn: base_dn,
    scope,
    userFilter: filter.user,
    listAccountsFilter: optional(filter.list_accounts),
    accountField: mapping.account_field,
    totpSecretField: mapping.totp_secret_field,
    attributes: attribute,
  };
}

/** `ldap` asks every search, `ldap(pool)` those of one pool. */
function ldapDirectory(config: Config, name: string, pool: string | undefined): DirectorySettings {
  const { ldap } = config.auth.backends;
  const searches = ldap.search.filter(({ pool_name }) => pool === undefined || pool_name === pool).map(ldapSearch);
  const used = new Set(searches.map(({ poolName }) => poolName));
  const configured = Object.entries({ default: ldap.default, ...ldap.pools }).filter(([poolName]) =>
    used.has(poolName),
  );
  const pools = Object.fromEntries(configured.map(([poolName, settings]) => [poolName, ldapPool(settings)]));
  return { kind: "ldap", settings: { name, pools, searches } };
}

function directoryOf(config: Config, entry: string): DirectorySettings {
  const [, kind, pool] = /^(sql|ldap)(?:\((.+)\))?$/.exec(entry.trim()) ?? [];
  return kind === "sql"
    ? { kind, ...sqlDirectorySettings(config.auth.backends.sql, entry, pool) }
    : ldapDirectory(config, entry, pool);
}

export function engineSettings({ runtime, auth }: Config): EngineSettings {
  const { max_hashing_concurrency: concurrency, max_hashing_queue: maxQueued } = auth.pipeline;
  return {
    privateAddress: runtime.services.auth_engine.private_address,
    maxInFlight: runtime.bus.max_in_flight,
    oauthBearer: { enabled: auth.oauthbearer.enabled, ignoreCase: auth.oauthbearer.ignore_case },
    hashing: { concurrency: concurrency === 0 ? availableParallelism() : concurrency, maxQueued },
  };
}

export function liveEngineSettings(config: Config): LiveEngineSettings {
  const { pipeline } = config.auth;
  return {
    directories: config.auth.backends.order.map((entry) => directoryOf(config, entry)),
    authWait: { waitDelay: pipeline.wait_delay, maxLoginAttempts: pipeline.max_login_attempts },
  };
}
