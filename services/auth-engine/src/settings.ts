import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { comparableDomain } from "@postern/shared/domain/domains";
import { type DecoySample, parseStoredPassword } from "@postern/shared/domain/passwords";
import { riskSettings } from "@postern/shared/domain/risk";
import {
  type Config,
  domainBackends,
  mailScopes,
  type OidcConfig,
  parseMasterUserFormat,
  usesDomains,
} from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { BackendSettings } from "./backends/backend-settings.ts";
import { httpBackendSettings } from "./backends/http/http-settings.ts";
import { ldapBackendSettings } from "./backends/ldap/ldap-settings.ts";
import { luaBackendSettings } from "./backends/lua/lua-settings.ts";
import { sqlBackendSettings } from "./backends/sql/sql-settings.ts";
import { outageMode, usesBruteForce } from "./brute-force/brute-force-settings.ts";
import { controlSettings } from "./controls/control-settings.ts";
import { policySettings } from "./policy/policy-settings.ts";
import type { ResultCacheSettings } from "./result-cache/result-caches.ts";
import { siteScripts } from "./scripts/script-settings.ts";
import { shadowSettings } from "./shadow/shadow-settings.ts";

export function masterUserSettings({ auth }: Config) {
  const { enabled, user_format: text, users } = auth.pipeline.master_user;
  const format = parseMasterUserFormat(text);
  return enabled && format !== undefined ? { parse: (username: string) => format.parse(username), users } : undefined;
}

function backendOf(config: Config, entry: string): BackendSettings {
  if (entry === "lua") return { kind: "lua", settings: luaBackendSettings(config, entry) };
  const remote = httpBackendSettings(config, entry);
  if (remote !== undefined) return { kind: "remote", settings: remote };
  const [, kind, pool] = /^(sql|ldap)(?:\((.+)\))?$/.exec(entry.trim()) ?? [];
  return kind === "sql"
    ? { kind, ...sqlBackendSettings(config.auth.backends.sql, entry, pool) }
    : { kind: "ldap", settings: ldapBackendSettings(config.auth.backends.ldap, entry, pool) };
}

export type EngineSettings = ReturnType<typeof engineSettings>;
export type LiveEngineSettings = ReturnType<typeof liveEngineSettings>;

/** The entry of `auth.backends.order` that is not a backend. */
const cacheEntry = "cache";

function resultCacheSettings({ auth, storage }: Config, backends: readonly BackendSettings[]): ResultCacheSettings {
  const { order, ldap, sql } = auth.backends;
  const cacheAt = order.indexOf(cacheEntry);
  const cacheNames = [...ldap.search, ...sql.search].map(({ cache_name }) => cache_name);
  // Secrets are serialised as a mask.
  const { records, default: others, default_domain: own, addresses } = auth.domains;
  const text = JSON.stringify([backends, cacheNames, records, others, own, addresses]);
  const { positive_cache_ttl: sharedTtlMs, identity_cache: identity } = storage.redis;
  return {
    context: {
      configuration: hash("sha256", text, "base64url").slice(0, 22),
      usesClientPort: text.includes("remote_port"),
    },
    memoryEnabled: auth.pipeline.local_cache_ttl > 0,
    // Backends that only domains have are behind the order.
    sharedBackends: new Set(
      cacheAt === -1
        ? []
        : [
            ...order.slice(cacheAt + 1),
            ...backends.map(({ settings }) => settings.name).filter((name) => !order.includes(name)),
          ],
    ),
    sharedTtlMs,
    identityEnabled: identity.enabled,
    identityTtlMs: identity.ttl,
  };
}

function sharedCacheSettings({ auth, storage }: Config) {
  const { identity_cache: identity, result_cache_timeout: timeoutMs } = storage.redis;
  return auth.backends.order.includes(cacheEntry) || identity.enabled ? { timeoutMs } : undefined;
}

export function engineSettings(config: Config) {
  const { runtime, auth, identity } = config;
  const { max_hashing_concurrency: concurrency, max_hashing_queue: maxQueued, local_cache_ttl: ttlMs } = auth.pipeline;
  const { local_cache_max_entries: maxEntries, local_cache_max_bytes: maxBytes } = auth.pipeline;
  return {
    memoryCache: { ttlMs, maxEntries, maxBytes },
    /** Absent unless results are shared through Redis. */
    sharedCache: sharedCacheSettings(config),
    privateAddress: runtime.services.auth_engine.private_address,
    maxInFlight: runtime.bus.max_in_flight,
    oauthBearer: {
      enabled: auth.oauthbearer.enabled,
      ignoreCase: auth.oauthbearer.ignore_case,
      limits: {
        protocols: identity.oidc.mail_registration.enabled ? mailScopes(identity.oidc.mail_registration) : [],
        domains: clientDomains(identity.oidc),
      },
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

/** The domains to which clients are limited. */
function clientDomains({ clients }: OidcConfig): ReadonlyMap<string, ReadonlySet<string>> {
  const limited = clients.filter(({ domains }) => domains.length > 0);
  return new Map(limited.map(({ client_id: id, domains }) => [id, new Set(domains.map(comparableDomain))]));
}

/** The order, then the backends that only domains have. */
function backendEntries(config: Config): readonly string[] {
  const ofDomains = usesDomains(config) ? domainBackends(config).map(({ entry }) => entry.trim()) : [];
  return [...new Set([...config.auth.backends.order, ...ofDomains])].filter((entry) => entry !== cacheEntry);
}

/** The backends that are not in the order: an outage of one concerns its domains only. */
function domainOnlyBackends(config: Config): ReadonlySet<string> {
  const order = new Set(config.auth.backends.order.map((entry) => entry.trim()));
  return new Set(backendEntries(config).filter((entry) => !order.has(entry)));
}

/** Settings that a reload replaces, all together. */
export function liveEngineSettings(config: Config) {
  const { pipeline } = config.auth;
  const backends = backendEntries(config).map((entry) => backendOf(config, entry));
  return {
    backends,
    /** The names of backends that only records of domains name. */
    ofDomains: domainOnlyBackends(config),
    /** Empty means that the mix of each backend is learned. */
    decoys: decoySamples(config),
    resultCache: resultCacheSettings(config, backends),
    scripts: siteScripts(config),
    authWait: { waitDelay: pipeline.wait_delay, maxLoginAttempts: pipeline.max_login_attempts },
    controls: controlSettings(config.auth.controls),
    /** Without Redis, the site wants temporary failures. */
    needsRedis: usesBruteForce(config) && outageMode(config.auth.controls.brute_force) === "tempfail",
    policy: policySettings(config.auth.policy, (file) => readFileSync(file, "utf8")),
    risk: riskSettings(config.auth.risk),
    /** Absent if no master user is configured. */
    masterUser: masterUserSettings(config),
    /** Absent if no other backends are asked to compare them. */
    shadow: shadowSettings(config, (entry) => backendOf(config, entry)),
  };
}
