import type { Secret } from "@postern/shared/platform/crypto";
import type { BreakerSettings } from "../servers/circuit-breaker.ts";
import type { LdapMfaSettings } from "./mfa-settings.ts";

/** Files are PEM and read at each connection, so a renewed certificate needs no restart. */
export interface LdapTlsSettings {
  readonly caCertFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly skipVerify: boolean;
}

/** Limit of user binds; `perSecond` 0 means no limit. */
export interface LdapBindRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Lifetimes of a pool's caches; 0 disables a cache. */
export interface LdapCacheSettings {
  readonly negativeTtlMs: number;
  readonly dnTtlMs: number;
  readonly membershipTtlMs: number;
  /** Maximum number of entries of each cache. */
  readonly maxEntries: number;
  readonly evict: "ttl" | "lru";
}

/**
 * How to reach one set of equal servers (`auth.backends.ldap.default` or `.pools.<name>`). A size, length or time of 0
 * stands for a bounded default (`withBounds`), so no wait and no queue is unlimited.
 */
export interface LdapPoolSettings {
  /** `ldap://host[:port]`, `ldaps://host[:port]`, `ldapi://%2Fpath%2Fof%2Fsocket`. */
  readonly serverUris: readonly string[];
  /** The service account of lookups; empty means anonymous. */
  readonly bindDn: string;
  readonly bindPassword: Secret;
  /**
   * Authenticates the service account by the client certificate, or as the peer of a unix socket (RFC 4422 EXTERNAL).
   */
  readonly saslExternal: boolean;
  /** RFC 4511 section 4.14, for `ldap://` only. */
  readonly startTls: boolean;
  readonly tls: LdapTlsSettings;
  /** Maximum connections to all servers of the pool together. */
  readonly lookupPoolSize: number;
  readonly authPoolSize: number;
  /** Connections that are opened in advance; absent means none. */
  readonly lookupIdleSize?: number | undefined;
  readonly authIdleSize?: number | undefined;
  /** Maximum entries of a group search; absent means the server's own limit. More is an error. */
  readonly searchSizeLimit?: number | undefined;
  /** Maximum callers that wait for a connection; further ones are refused immediately. */
  readonly lookupQueueLength: number;
  readonly authQueueLength: number;
  /** Time limit of TCP, StartTLS and TLS handshake together. */
  readonly connectTimeoutMs: number;
  readonly searchTimeoutMs: number;
  readonly bindTimeoutMs: number;
  readonly modifyTimeoutMs: number;
  /** Time that a server may spend on a search; 0 means one second less than `searchTimeoutMs`, at least 1. */
  readonly searchTimeLimitSeconds: number;
  readonly breaker: BreakerSettings;
  readonly healthCheckIntervalMs: number;
  readonly healthCheckTimeoutMs: number;
  /** The pool serves searches only and verifies no passwords. */
  readonly lookupPoolOnly: boolean;
  readonly bindRate: LdapBindRate;
  /** Entries to bind as for unknown names; empty means that the time is padded instead. */
  readonly decoyDns: readonly string[];
  /** Binds send passwords in their composed form (NFC) and not as they were sent. */
  readonly composesPasswords?: boolean | undefined;
  readonly caches: LdapCacheSettings;
}

export type LdapScope = "base" | "one" | "sub";

/** `auth.backends.ldap.search[].groups`. */
export interface LdapGroupSettings {
  readonly strategy: "member_of" | "search" | "hybrid";
  /** Attribute of users and groups that holds the DNs of their groups. */
  readonly attribute: string;
  readonly baseDn: string;
  readonly scope: LdapScope;
  /** Finds the groups of `%{user_dn}`, which may itself be a group. */
  readonly filter: string;
  readonly nameAttribute: string;
  readonly recursive: boolean;
  readonly maxDepth: number;
  /** Attribute in which callers receive the names; undefined keeps them internal. */
  readonly releaseAs?: string | undefined;
}

/** One entry of `auth.backends.ldap.search[]`. */
export interface LdapSearchSettings {
  /** Compared exactly with the request's protocol. */
  readonly protocols: readonly string[];
  readonly poolName: string;
  /** May contain macros. */
  readonly baseDn: string;
  readonly scope: LdapScope;
  /** RFC 4515 filter; its values may contain macros. */
  readonly userFilter: string;
  /** Finds all accounts to list; undefined disables listing. */
  readonly listAccountsFilter?: string | undefined;
  /** Finds the user's entry if the account is disabled; undefined leaves that to the bind. */
  readonly disabledFilter?: string | undefined;
  readonly groups?: LdapGroupSettings | undefined;
  readonly mfa: LdapMfaSettings;
  readonly accountField: string;
  /** Only its name is released. */
  readonly totpSecretField: string;
  /** Attributes to release; `dn` stands for the entry's name. */
  readonly attributes: readonly string[];
}

export interface LdapBackendSettings {
  readonly name: string;
  readonly pools: Readonly<Record<string, LdapPoolSettings>>;
  readonly searches: readonly LdapSearchSettings[];
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
