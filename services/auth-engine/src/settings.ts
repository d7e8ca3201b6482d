import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type DecoySample, parseStoredPassword } from "@postern/shared/domain/passwords";
import { type RiskSettings, riskSettings } from "@postern/shared/domain/risk";
import { type Config, type MailScope, mailScopes, parseMasterUserFormat } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { type LdapBackendSettings, ldapBackendSettings } from "./backends/ldap/ldap-settings.ts";
import { type LuaBackendSettings, luaBackendSettings } from "./backends/lua/lua-settings.ts";
import { type SqlBackendSettings, type SqlDatabaseSettings, sqlBackendSettings } from "./backends/sql/sql-settings.ts";
import { type ControlSettings, controlSettings } from "./controls/control-settings.ts";
import type { MasterUsersDeps } from "./master-user/master-users.ts";
import type { AuthWaitSettings } from "./pipeline/auth-wait.ts";
import { type PolicySettings, policySettings } from "./policy/policy-settings.ts";
import type { ResultCacheSettings } from "./result-cache/cache-rules.ts";
import type { MemoryCacheSettings } from "./result-cache/memory-cache.ts";
import { type SiteScriptSettings, siteScripts } from "./scripts/script-settings.ts";

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

function backendOf(config: Config, entry: string): BackendSettings {
  if (entry === "lua") return { kind: "lua", settings: luaBackendSettings(config, entry) };
  const [, kind, pool] = /^(sql|ldap)(?:\((.+)\))?$/.exec(entry.trim()) ?? [];
  return kind === "sql"
    ? { kind, ...sqlBackendSettings(config.auth.backends.sql, entry, pool) }
    : { kind: "ldap", settings: ldapBackendSettings(config.auth.backends.ldap, entry, pool) };
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
