import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type DecoySample, parseStoredPassword } from "@postern/shared/domain/passwords";
import { type RiskSettings, riskSettings } from "@postern/shared/domain/risk";
import {
  type Config,
  type LdapPoolConfig,
  type LdapSearchConfig,
  type MailScope,
  mailScopes,
  parseMasterUserFormat,
} from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { LdapMfaSettings } from "./backends/ldap/mfa-settings.ts";
import type {
  LdapBackendSettings,
  LdapGroupSettings,
  LdapPoolSettings,
  LdapSearchSettings,
} from "./backends/ldap/settings.ts";
import type { LuaBackendSettings } from "./backends/lua/settings.ts";
import type { SqlBackendSettings, SqlDatabaseSettings } from "./backends/sql/settings.ts";
import { type ControlSettings, controlSettings } from "./controls/control-settings.ts";
import type { MasterUsersDeps } from "./master-user/master-users.ts";
import type { AuthWaitSettings } from "./pipeline/auth-wait.ts";
import { type PolicySettings, policySettings } from "./policy/policy-settings.ts";
import type { ResultCacheSettings } from "./result-cache/cache-rules.ts";
import type { MemoryCacheSettings } from "./result-cache/memory-cache.ts";
import { siteScripts } from "./scripts/script-settings.ts";
import type { SiteScriptSettings } from "./scripts/site-scripts.ts";
import { sqlBackendSettings } from "./sql-settings.ts";

/** One entry of `auth.backends.order`, with the settings it needs. */
export type BackendSettings =
  | { readonly kind: "sql"; readonly settings: SqlBackendSettings; readonly database: SqlDatabaseSettings }
  | { readonly kind: "lua"; readonly settings: LuaBackendSettings }
  | { readonly kind: "ldap"; readonly settings: LdapBackendSettings };

export interface EngineSettings {
  readonly privateAddress: string;
  readonly maxInFlight: number;
  readonly oauthBearer: {
    readonly enabled: boolean;
    readonly ignoreCase: boolean;
    readonly limits: readonly MailScope[];
  };
  readonly memoryCache: MemoryCacheSettings;
  readonly sharedCache: SharedCacheSettings | undefined;
  readonly hashing: { readonly concurrency: number; readonly maxQueued: number };
}

/** Set if results are shared through Redis. */
export interface SharedCacheSettings {
  readonly timeoutMs: number;
}

/** Settings that a reload replaces, all together. */
export interface LiveEngineSettings {
  readonly backends: readonly BackendSettings[];
  /** Empty means that each backend's mix is learned. */
  readonly decoys: readonly DecoySample[];
  readonly authWait: AuthWaitSettings;
  readonly resultCache: ResultCacheSettings;
  readonly scripts: SiteScriptSettings;
  readonly controls: ControlSettings;
  readonly policy: PolicySettings;
  readonly risk: RiskSettings;
  /** Absent if no master user is configured. */
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
    lookupIdleSize: pool.lookup_idle_pool_size,
    authIdleSize: pool.auth_idle_pool_size,
    searchSizeLimit: pool.search_size_limit === 0 ? undefined : pool.search_size_limit,
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
    composesPasswords: pool.bind_password_form === "nfc",
    bindRate: { perSecond: pool.auth_rate_limit_per_second, burst: pool.auth_rate_limit_burst },
    decoyDns: pool.decoy_dns,
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

export function ldapSearchSettings({
  protocol,
  pool_name,
  base_dn,
  scope,
  filter,
  mapping,
  attribute,
  release_dn,
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
    attributes: release_dn ? [...new Set([...attribute, "dn"])] : attribute,
  };
}

/** `ldap` uses all searches, `ldap(pool)` those of one pool. */
function ldapBackend(config: Config, name: string, pool: string | undefined): BackendSettings {
  const { ldap } = config.auth.backends;
  const searches = ldap.search
    .filter(({ pool_name }) => pool === undefined || pool_name === pool)
    .map(ldapSearchSettings);
  const used = new Set(searches.map(({ poolName }) => poolName));
  const configured = Object.entries({ default: ldap.default, ...ldap.pools }).filter(([poolName]) =>
    used.has(poolName),
  );
  const pools = Object.fromEntries(configured.map(([poolName, settings]) => [poolName, ldapPoolSettings(settings)]));
  return { kind: "ldap", settings: { name, pools, searches } };
}

function luaBackend(config: Config, name: string): BackendSettings {
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

function backendOf(config: Config, entry: string): BackendSettings {
  if (entry === "lua") return luaBackend(config, entry);
  const [, kind, pool] = /^(sql|ldap)(?:\((.+)\))?$/.exec(entry.trim()) ?? [];
  return kind === "sql"
    ? { kind, ...sqlBackendSettings(config.auth.backends.sql, entry, pool) }
    : ldapBackend(config, entry, pool);
}

/** The entry of `auth.backends.order` that is not a backend. */
const cacheEntry = "cache";

function resultCacheSettings({ auth, storage }: Config, backends: readonly BackendSettings[]): ResultCacheSettings {
  const { order, ldap, sql } = auth.backends;
  const cacheAt = order.indexOf(cacheEntry);
  const cacheNames = [...ldap.search, ...sql.search].map(({ cache_name }) => cache_name);
  // Secrets are serialised as a mask.
  const text = JSON.stringify([backends, cacheNames]);
  const { positive_cache_ttl: sharedTtlMs, identity_cache: identity } = storage.redis;
  return {
    context: {
      configuration: hash("sha256", text, "base64url").slice(0, 22),
      usesClientPort: text.includes("remote_port"),
    },
    memoryEnabled: auth.pipeline.local_cache_ttl > 0,
    sharedBackends: new Set(cacheAt === -1 ? [] : order.slice(cacheAt + 1)),
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
  const { runtime, auth, identity } = config;
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
    oauthBearer: {
      enabled: auth.oauthbearer.enabled,
      ignoreCase: auth.oauthbearer.ignore_case,
      limits: identity.oidc.mail_registration.enabled ? mailScopes(identity.oidc.mail_registration) : [],
    },
    hashing: { concurrency: concurrency === 0 ? availableParallelism() : concurrency, maxQueued },
  };
}

function decoySamples({ auth }: Config): readonly DecoySample[] {
  return auth.pipeline.decoy_passwords.map(({ stored: text, weight }) => {
    const stored = parseStoredPassword(text);
    if (stored === undefined)
      throw new AppError("CONFIG_INVALID", { detail: "auth.pipeline.decoy_passwords contains an unsupported hash" });
    return { stored, weight };
  });
}

export function liveEngineSettings(config: Config): LiveEngineSettings {
  const { pipeline } = config.auth;
  const backends = config.auth.backends.order
    .filter((entry) => entry !== cacheEntry)
    .map((entry) => backendOf(config, entry));
  return {
    backends,
    decoys: decoySamples(config),
    resultCache: resultCacheSettings(config, backends),
    scripts: siteScripts(config),
    authWait: { waitDelay: pipeline.wait_delay, maxLoginAttempts: pipeline.max_login_attempts },
    controls: controlSettings(config.auth.controls),
    policy: policySettings(config.auth.policy, (file) => readFileSync(file, "utf8")),
    risk: riskSettings(config.auth.risk),
    masterUser: masterUserSettings(config),
  };
}
