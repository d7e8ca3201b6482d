import type { Config, LdapPoolConfig, LdapSearchConfig } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { breakerSettings, optional, type Settings, tlsSettings } from "../servers/server-settings.ts";

type LdapConfig = Config["auth"]["backends"]["ldap"];

export type LdapPoolSettings = Settings<ReturnType<typeof ldapPoolSettings>>;
export type LdapSearchSettings = Settings<ReturnType<typeof ldapSearchSettings>>;
export type LdapGroupSettings = NonNullable<LdapSearchSettings["groups"]>;
/** Where one kind of second factor is stored. `objectClass` is added with the first value; an empty one adds none. */
export type LdapCredentialPlace = LdapSearchSettings["mfa"]["totp"];

export interface LdapBackendSettings {
  readonly name: string;
  readonly pools: Readonly<Record<string, LdapPoolSettings>>;
  readonly searches: readonly LdapSearchSettings[];
}

/**
 * How to reach one set of equal servers (`auth.backends.ldap.default` or `.pools.<name>`). A size, length or time of 0
 * stands for a bounded default (`withBounds`), so no wait and no queue is unlimited.
 */
export function ldapPoolSettings(pool: LdapPoolConfig) {
  return {
    serverUris: pool.server_uri,
    bindDn: pool.bind_dn,
    bindPassword: new Secret(pool.bind_pw),
    saslExternal: pool.sasl_external,
    startTls: pool.starttls,
    tls: tlsSettings(pool),
    lookupPoolSize: pool.lookup_pool_size,
    authPoolSize: pool.auth_pool_size,
    /** Connections that are opened in advance. */
    lookupIdleSize: pool.lookup_idle_pool_size,
    authIdleSize: pool.auth_idle_pool_size,
    /** Maximum entries of a group search; absent means the server's own limit. More is an error. */
    searchSizeLimit: pool.search_size_limit === 0 ? undefined : pool.search_size_limit,
    lookupQueueLength: pool.lookup_queue_length,
    authQueueLength: pool.auth_queue_length,
    connectTimeoutMs: pool.connect_abort_timeout,
    searchTimeoutMs: pool.search_timeout,
    bindTimeoutMs: pool.bind_timeout,
    modifyTimeoutMs: pool.modify_timeout,
    /** Time that a server may spend on a search; 0 means one second less than `searchTimeoutMs`, at least 1. */
    searchTimeLimitSeconds: Math.ceil(pool.search_time_limit / 1000),
    breaker: breakerSettings(pool),
    healthCheckIntervalMs: pool.health_check_interval,
    healthCheckTimeoutMs: pool.health_check_timeout,
    lookupPoolOnly: pool.lookup_pool_only,
    /** Binds send passwords in their composed form (NFC) and not as they were sent. */
    composesPasswords: pool.bind_password_form === "nfc",
    bindRate: { perSecond: pool.auth_rate_limit_per_second, burst: pool.auth_rate_limit_burst },
    /** Entries to bind as for unknown names; empty means that the time is padded instead. */
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

function ldapGroups(groups: LdapSearchConfig["groups"]) {
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

/** Where a backend stores each kind of second factor; an empty field means that it stores none. */
function ldapMfa(mapping: LdapSearchConfig["mapping"]) {
  return {
    totp: { field: mapping.totp_secret_field, objectClass: mapping.totp_object_class },
    recoveryCodes: { field: mapping.totp_recovery_field, objectClass: mapping.totp_recovery_object_class },
    webauthn: { field: mapping.webauthn_credential_field, objectClass: mapping.webauthn_object_class },
    appPasswords: { field: mapping.app_password_field, objectClass: mapping.app_password_object_class },
    displayNameField: mapping.display_name_field,
    uniqueUserIdField: mapping.unique_user_id_field,
  };
}

/** One entry of `auth.backends.ldap.search[]`. */
export function ldapSearchSettings(search: LdapSearchConfig) {
  const { scope, filter, mapping, attribute, release_dn, groups } = search;
  return {
    protocols: search.protocol,
    poolName: search.pool_name,
    baseDn: search.base_dn,
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
export function ldapBackendSettings(ldap: LdapConfig, name: string, pool: string | undefined): LdapBackendSettings {
  const searches = ldap.search
    .filter(({ pool_name }) => pool === undefined || pool_name === pool)
    .map(ldapSearchSettings);
  const used = new Set(searches.map(({ poolName }) => poolName));
  const configured = Object.entries({ default: ldap.default, ...ldap.pools }).filter(([poolName]) =>
    used.has(poolName),
  );
  const pools = Object.fromEntries(configured.map(([poolName, settings]) => [poolName, ldapPoolSettings(settings)]));
  return { name, pools, searches };
}

const orDefault = (value: number, fallback: number): number => (value > 0 ? value : fallback);

/** Replaces "unlimited" and "never" by bounded defaults. */
export function withBounds(pool: LdapPoolSettings): LdapPoolSettings {
  const searchTimeoutMs = orDefault(pool.searchTimeoutMs, 3000);
  return {
    ...pool,
    lookupPoolSize: orDefault(pool.lookupPoolSize, 2),
    authPoolSize: orDefault(pool.authPoolSize, 16),
    lookupQueueLength: orDefault(pool.lookupQueueLength, 1024),
    authQueueLength: orDefault(pool.authQueueLength, 1024),
    connectTimeoutMs: orDefault(pool.connectTimeoutMs, 3000),
    searchTimeoutMs,
    bindTimeoutMs: orDefault(pool.bindTimeoutMs, 3000),
    modifyTimeoutMs: orDefault(pool.modifyTimeoutMs, 5000),
    searchTimeLimitSeconds: orDefault(pool.searchTimeLimitSeconds, Math.max(1, Math.ceil(searchTimeoutMs / 1000) - 1)),
    breaker: {
      failureThreshold: orDefault(pool.breaker.failureThreshold, 5),
      cooldownMs: orDefault(pool.breaker.cooldownMs, 30_000),
      halfOpenMax: orDefault(pool.breaker.halfOpenMax, 1),
    },
    healthCheckIntervalMs: orDefault(pool.healthCheckIntervalMs, 10_000),
    healthCheckTimeoutMs: orDefault(pool.healthCheckTimeoutMs, 1500),
  };
}
