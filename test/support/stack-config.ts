import { join } from "node:path";
import { demoSeedFile } from "./demo-users.ts";

/** The files and addresses of a stack, which do not change when a service restarts. */
export interface StackPlaces {
  readonly folder: string;
  readonly httpPort: number;
  readonly adminPort: number;
  readonly idpPort: number;
  readonly natsUrl: string;
  readonly redisUrl: string;
}

/** A configuration as a tree; JSON is YAML. */
export type Tree = Readonly<Record<string, unknown>>;

/** `storage.redis.password_nonce` */
export const passwordNonce = "test-password-nonce-0";
export const assertionSecret = "test-caller-assertion-secret-of-no-worth";

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `over` laid over `base`, key by key; lists and scalars are replaced. */
export function merged(base: Tree, over: Tree): Tree {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = result[key];
    result[key] = isTree(old) && isTree(value) ? merged(old, value) : value;
  }
  return result;
}

/**
 * Deadlines that a busy machine does not reach, although it reaches the product's own. A test whose subject is one of them sets it.
 * `auth.controls.brute_force.without_redis.timeout` and `storage.redis.result_cache_timeout` have the largest value that is allowed.
 */
const patience: Tree = {
  runtime: {
    timeouts: {
      decision: "60s",
      redis_read: "10s",
      redis_write: "10s",
      ldap_search: "30s",
      ldap_bind: "30s",
      ldap_modify: "30s",
      sql_query: "30s",
      lua_backend: "60s",
    },
  },
  storage: { redis: { connect_timeout: "10s", result_cache_timeout: "2s" } },
  auth: { controls: { brute_force: { without_redis: { timeout: "5s" } } } },
};

/** Laid over `patience` where a Redis that hangs is the subject: commands are given up soon, and those of decisions sooner. */
export const redisGivenUpSoon: Tree = {
  runtime: { timeouts: { redis_read: "1s", redis_write: "1s" } },
  auth: { controls: { brute_force: { without_redis: { timeout: "250ms" } } } },
};

export function demoBackends(folder: string): Tree {
  return {
    order: ["sql"],
    sql: {
      default: { file: join(folder, "directory.sqlite"), seed_file: demoSeedFile, busy_timeout: "10s" },
      search: [
        {
          protocol: ["*"],
          cache_name: "demo",
          queries: {
            user: "SELECT username AS account, password, display_name AS displayName, mail, uid, NOT enabled AS disabled FROM users WHERE username = :username",
          },
          mapping: { account_field: "account", password_column: "password", disabled_column: "disabled" },
          attribute: ["displayName", "mail", "uid"],
        },
      ],
    },
  };
}

export function defaultTree({ folder, httpPort, adminPort, idpPort, natsUrl, redisUrl }: StackPlaces): Tree {
  return merged(patience, {
    runtime: {
      servers: { http: { address: [`127.0.0.1:${httpPort}`] } },
      services: {
        admin: { address: `127.0.0.1:${adminPort}`, url: `http://127.0.0.1:${adminPort}` },
        idp: { address: `127.0.0.1:${idpPort}`, url: `http://127.0.0.1:${idpPort}` },
        caller_assertion: { secret: assertionSecret },
      },
      bus: { servers: [natsUrl] },
    },
    // Its keys are written after the response, while tests compare the keys before and after an action.
    observability: {
      log: { level: "info" },
      metrics: { endpoint_enabled: true },
      decision_history: { enabled: false },
    },
    storage: {
      redis: {
        password_nonce: passwordNonce,
        encryption_secret: "test-encryption-secret",
        primary: { address: new URL(redisUrl).host },
      },
    },
    auth: {
      backchannel: { basic_auth: { enabled: true, username: "backchannel", password: "demo-backchannel-secret" } },
      backends: demoBackends(folder),
    },
  });
}
