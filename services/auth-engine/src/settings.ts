import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Config, type LdapPoolConfig, type LdapSearchConfig, parseMasterUserFormat } from "@postern/shared/config";
import { Secret } from "@postern/shared/crypto";
import { type ControlSettings, controlSettings } from "./controls/control-settings.ts";
import type { LdapMfaSettings } from "./directories/ldap/mfa-settings.ts";
import type {
  LdapDirectorySettings,
  LdapGroupSettings,
  LdapPoolSettings,
  LdapSearchSettings,
} from "./directories/ldap/settings.ts";
import type { LuaDirectorySettings } from "./directories/lua/lua-directory.ts";
import type { SqlDatabaseSettings, SqlDirectorySettings } from "./directories/sql/settings.ts";
import type { MasterUsersDeps } from "./master-user/master-users.ts";
import type { AuthWaitSettings } from "./pipeline/auth-wait.ts";
import { type PolicySettings, policySettings } from "./policy/policy-settings.ts";
import type { ResultCacheSettings } from "./result-cache/cache-rules.ts";
import type { MemoryCacheSettings } from "./result-cache/memory-cache.ts";
import { siteScripts } from "./scripts/script-settings.ts";
import type { SiteScriptSettings } from "./scripts/site-scripts.ts";
import { sqlDirectorySettings } from "./sql-settings.ts";

/** One entry of `auth.backends.order`, with what it needs. */
export type DirectorySettings =
  | { readonly kind: "sql"; readonly settings: SqlDirectorySettings; readonly database: SqlDatabaseSettings }
  | { readonly kind: "lua"; readonly settings: LuaDirectorySettings }
  | { readonly kind: "ldap"; readonly settings: LdapDirectorySettings };

export interface EngineSettings {
  readonly privateAddress: string;
  readonly maxInFlight: number;
  readonly oauthBearer: { readonly enabled: boolean; readonly ignoreCase: boolean };
  readonly memoryCache: MemoryCacheSettings;
  readonly sharedCache: SharedCacheSettings | undefined;
  readonly hashing: { readonly concurrency: number; readonly maxQueued: number };
}

/** Set while results are shared through Redis. */
export interface SharedCacheSettings {
  readonly timeoutMs: number;
}

/** What a reload swaps, as a whole. */
export interface LiveEngineSettings {
  readonly directories: readonly DirectorySettings[];
  readonly authWait: AuthWaitSettings;
  readonly resultCache: ResultCacheSettings;
  readonly scripts: SiteScriptSettings;
  readonly controls: ControlSettings;
  readonly policy: PolicySettings;
  /** Absent while nobody may sign in as another user. */
  readonly masterUser: MasterUserSettings | undefined;
}

export type MasterUserSettings = Pick<MasterUsersDeps, "parse" | "users">;

function masterUserSettings({ auth }: Config): MasterUserSettings | undefined {
  const { enabled, user_format: text, users } = auth.pipeline.master_user;
  const format = parseMasterUserFormat(text);
  return enabled && format !== undefined ? { parse: (username) => format.parse(username), users } : undefined;
}

function optional(text: string): string | undefined {
  return text === "" ? undefined : text;
}

export function ldapPoolSettings(pool: LdapPoolConfig): LdapPoolSettings {
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
    modifyTimeoutMs: pool.modify_timeout,
    searchTimeLimitSeconds: Math.ceil(pool.search_time_limit / 1000),
    breaker: {
      failureThreshold: pool.cb_failure_threshold,
      cooldownMs: pool.cb_cooldown,
      halfOpenMax: pool.cb_half_open_max,
    },
    healthCheckIntervalMs: pool.health_check_interval,
    healthCheckTimeoutMs: pool.health_check_timeout,
    lookupPoolOnly: pool.lookup_pool_only,
    bindRate: { perSecond: pool.auth_rate_limit_per_second, burst: pool.auth_rate_limit_burst },
    caches: {
      negativeTtlMs: pool.negative_cache_ttl,
      dnTtlMs: pool.dn_cache_ttl,
      membershipTtlMs: pool.membership_cache_ttl,
      maxEntries: pool.cache_max_entries,
      evict: pool.cache_impl,
    },
  };
}

function ldapGroups(groups: LdapSearchConfig["groups"]): LdapGroupSettings | undefined {
  if (groups.strategy === "") return undefined;
  return {
    strategy: groups.strategy,
    attribute: groups.attribute,
    baseDn: groups.base_dn,
    scope: groups.scope,
    filter: groups.filter,
    nameAttribute: groups.name_attribute,
    recursive: groups.recursive,
    maxDepth: groups.max_depth,
    releaseAs: optional(groups.release_as),
  };
}

function ldapMfa(mapping: LdapSearchConfig["mapping"]): LdapMfaSettings {
  return {
    totp: { field: mapping.totp_secret_field, objectClass: mapping.totp_object_class },
    recoveryCodes: { field: mapping.totp_recovery_field, objectClass: mapping.totp_recovery_object_class },
    webauthn: { field: mapping.webauthn_credential_field, objectClass: mapping.webauthn_object_class },
    appPasswords: { field: mapping.app_password_field, objectClass: mapping.app_password_object_class },
    displayNameField: mapping.display_name_field,
    uniqueUserIdField: mapping.unique_user_id_field,
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
  groups,
}: LdapSearchConfig): LdapSearchSettings {
  return {
    protocols: protocol,
    poolName: pool_name,
    baseDn: base_dn,
    scope,
    userFilter: filter.user,
    listAccountsFilter: optional(filter.list_accounts),
    disabledFilter: optional(filter.disabled),
    groups: ldapGroups(groups),
    mfa: ldapMfa(mapping),
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
  const pools = Object.fromEntries(configured.map(([poolName, settings]) => [poolName, ldapPoolSettings(settings)]));
  return { kind: "ldap", settings: { name, pools, searches } };
}

function luaDirectory(config: Config, name: string): DirectorySettings {
  const { default: pool, search } = config.auth.backends.lua.backend;
  return {
    kind: "lua",
    settings: {
      name,
      script: pool.backend_script_path,
      protocols: search.flatMap(({ protocol }) => protocol),
      timeoutMs: config.runtime.timeouts.lua_backend,
      keepsMfa: pool.mfa.enabled,
    },
  };
}

function directoryOf(config: Config, entry: string): DirectorySettings {
  if (entry === "lua") return luaDirectory(config, entry);
  const [, kind, pool] = /^(sql|ldap)(?:\((.+)\))?$/.exec(entry.trim()) ?? [];
  return kind === "sql"
    ? { kind, ...sqlDirectorySettings(config.auth.backends.sql, entry, pool) }
    : ldapDirectory(config, entry, pool);
}

/** The entry of `auth.backends.order` that is no directory. */
const cacheEntry = "cache";

function resultCacheSettings(
  { auth, storage }: Config,
  directories: readonly DirectorySettings[],
): ResultCacheSettings {
  const { order, ldap, sql } = auth.backends;
  const cacheAt = order.indexOf(cacheEntry);
  const cacheNames = [...ldap.search, ...sql.search].map(({ cache_name }) => cache_name);
  // Secrets write themselves as a mask.
  const text = JSON.stringify([directories, cacheNames]);
  const { positive_cache_ttl: sharedTtlMs, identity_cache: identity } = storage.redis;
  return {
    context: {
      configuration: hash("sha256", text, "base64url").slice(0, 22),
      usesClientPort: text.includes("remote_port"),
    },
    memoryEnabled: auth.pipeline.local_cache_ttl > 0,
    sharedDirectories: new Set(cacheAt === -1 ? [] : order.slice(cacheAt + 1)),
    sharedTtlMs,
    identityEnabled: identity.enabled,
    identityTtlMs: identity.ttl,
  };
}

function sharedCacheSettings({ auth, storage }: Config): SharedCacheSettings | undefined {
  const { identity_cache: identity, result_cache_timeout: timeoutMs } = storage.redis;
  return auth.backends.order.includes(cacheEntry) || identity.enabled ? { timeoutMs } : undefined;
}

export function engineSettings(config: Config): EngineSettings {
  const { runtime, auth } = config;
  const { max_hashing_concurrency: concurrency, max_hashing_queue: maxQueued } = auth.pipeline;
  const {
    local_cache_ttl: ttlMs,
    local_cache_max_entries: maxEntries,
    local_cache_max_bytes: maxBytes,
  } = auth.pipeline;
  return {
    memoryCache: { ttlMs, maxEntries, maxBytes },
    sharedCache: sharedCacheSettings(config),
    privateAddress: runtime.services.auth_engine.private_address,
    maxInFlight: runtime.bus.max_in_flight,
    oauthBearer: { enabled: auth.oauthbearer.enabled, ignoreCase: auth.oauthbearer.ignore_case },
    hashing: { concurrency: concurrency === 0 ? availableParallelism() : concurrency, maxQueued },
  };
}

export function liveEngineSettings(config: Config): LiveEngineSettings {
  const { pipeline } = config.auth;
  const directories = config.auth.backends.order
    .filter((entry) => entry !== cacheEntry)
    .map((entry) => directoryOf(config, entry));
  return {
    directories,
    resultCache: resultCacheSettings(config, directories),
    scripts: siteScripts(config),
    authWait: { waitDelay: pipeline.wait_delay, maxLoginAttempts: pipeline.max_login_attempts },
    controls: controlSettings(config.auth.controls),
    policy: policySettings(config.auth.policy, (file) => readFileSync(file, "utf8")),
    masterUser: masterUserSettings(config),
  };
}
