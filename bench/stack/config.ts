import { peopleDn, readerDn, readerPassword } from "./backends.ts";

export interface ConfigParts {
  readonly httpPort: number;
  /** Separates services that run alongside others of the bench. */
  readonly namespace: string;
  readonly natsUrl: string;
  readonly redisPort: number;
  readonly backends: object;
  /** Additional keys of `auth`. */
  readonly auth?: object | undefined;
  /** Additional keys of `observability`. */
  readonly observability?: object | undefined;
  /** Additional keys of `storage.redis`. */
  readonly storage?: object | undefined;
  readonly callers?: CallerConfig | undefined;
  readonly protection?: Protection | undefined;
  /** `identity`, for an issuer; its callers are clients, to whom no rate limit applies here. */
  readonly identity?: ((issuer: string) => object) | undefined;
}

export const encryptionSecret = "bench-encryption-secret";

/** Controls and caches before the backends. */
export interface Protection {
  /** `auth.controls` */
  readonly controls: object;
  /** `auth.pipeline.local_cache_ttl` */
  readonly localCacheTtl: string;
}

/** Every decision queries a backend, and nothing is counted. */
const noProtection: Protection = { controls: {}, localCacheTtl: "0s" };

/** Guesses are counted against a limit that no run reaches, in networks of one host each. */
export function guarded(localCacheTtl: string, more: object = {}): Protection {
  const rule = { name: "bench", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 1_000_000_000, ipv4: true };
  return { controls: { enabled: ["brute_force"], brute_force: { buckets: [rule], ...more } }, localCacheTtl };
}

/** How callers authenticate. */
export interface CallerConfig {
  /** `auth.backchannel` */
  readonly backchannel: object;
  /** Opens the back channel if callers have no way to authenticate. */
  readonly developerMode?: boolean;
}

const basic_auth = { enabled: true, username: "backchannel", password: "bench-backchannel-secret" };

/** Accepts users' access tokens of an issuer whose keys are in a file (`auth.oauthbearer`). */
export function mailTokens(issuer: string, jwksFile: string): object {
  return { oauthbearer: { enabled: true, issuer, jwks_file: jwksFile, audience: ["mail"] } };
}

export const basicCallers: CallerConfig = { backchannel: { basic_auth } };
export const openCallers: CallerConfig = { backchannel: { basic_auth: { enabled: false } }, developerMode: true };

/** How long a gateway caches tokens: `auth.backchannel.oidc_bearer.cache_ttl` and `.revocation_ttl`. */
export interface TokenMemory {
  readonly cache_ttl: string;
  readonly revocation_ttl?: string;
}

/** Basic, and tokens of an issuer whose keys are in a file. */
export function bearerCallers(issuer: string, jwksFile: string, memory: TokenMemory): CallerConfig {
  const oidc_bearer = { enabled: true, issuer, jwks_file: jwksFile, ...memory };
  return { backchannel: { basic_auth, oidc_bearer } };
}

/** Without caller authentication, each request counts towards the limit. */
const unlimited = { per_second: 1_000_000, burst: 1_000_000 };
/** Far below the load: authenticated callers are never limited, so a limited request fails the run. */
const limited = { per_second: 10, burst: 20 };

/** A production-like configuration: callers authenticate, log level info, metrics on. */
export function configText(parts: ConfigParts): string {
  const {
    httpPort,
    namespace,
    natsUrl,
    redisPort,
    backends,
    callers = basicCallers,
    protection = noProtection,
    auth = {},
    observability = {},
    storage = {},
    identity,
  } = parts;
  return JSON.stringify({
    runtime: {
      developer_mode: callers.developerMode ?? false,
      servers: {
        http: {
          address: [`127.0.0.1:${httpPort}`],
          rate_limit: callers.developerMode === true || identity !== undefined ? unlimited : limited,
        },
      },
      services: { caller_assertion: { secret: "bench-caller-assertion-secret-of-no-worth" } },
      bus: { servers: [natsUrl], namespace },
    },
    observability: { log: { level: "info" }, metrics: { endpoint_enabled: true }, ...observability },
    storage: {
      redis: {
        primary: { address: `127.0.0.1:${redisPort}` },
        password_nonce: "bench-password-nonce-0",
        encryption_secret: encryptionSecret,
        ...storage,
      },
    },
    auth: {
      backchannel: callers.backchannel,
      controls: protection.controls,
      pipeline: { local_cache_ttl: protection.localCacheTtl },
      backends,
      ...auth,
    },
    ...(identity !== undefined && { identity: identity(`http://127.0.0.1:${httpPort}`) }),
  });
}

/** @param listing the query that lists accounts, if they can be listed */
export function sqlBackends(file: string, listing?: string): object {
  const user =
    "SELECT username AS account, password, display_name AS displayName, mail, uid, NOT enabled AS disabled FROM users WHERE username = :username";
  return {
    order: ["sql"],
    sql: {
      default: { file },
      search: [
        {
          protocol: ["*"],
          cache_name: "bench",
          queries: { user, ...(listing !== undefined && { list_accounts: listing }) },
          mapping: { account_field: "account", password_column: "password", disabled_column: "disabled" },
          attribute: ["displayName", "mail", "uid"],
        },
      ],
    },
  };
}

export function ldapBackends(uri: string): object {
  return {
    order: ["ldap"],
    ldap: {
      default: {
        server_uri: uri,
        bind_dn: readerDn,
        bind_pw: readerPassword,
        lookup_pool_size: 4,
        auth_pool_size: 32,
      },
      search: [
        {
          protocol: ["imap"],
          cache_name: "bench",
          base_dn: peopleDn,
          scope: "sub",
          filter: { user: "(&(objectClass=inetOrgPerson)(mail=%L{user}))" },
          mapping: { account_field: "mail" },
          attribute: ["displayName", "mail", "uid"],
        },
      ],
    },
  };
}
