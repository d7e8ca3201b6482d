import { isMapping } from "../../json/index.ts";
import { messages } from "../messages.ts";
import { assign, type Draft, follow, isDefault } from "../read/reader.ts";
import { formatPath, type Path, valueAt } from "../tree/walk.ts";
import { checkEncryption, checkFilled, checkPair, type Judgement, remoteHostOf } from "./checks.ts";
import { duration, entries, flag, integer, secret, section, text, texts } from "./fields.ts";
import type { Config, RedisConfig } from "./root.ts";
import { ClientTls } from "./servers.ts";

const Sentinels = section("Connection through Redis Sentinel, used when master is set.", {
  master: text("Name of the master group. If empty, Sentinel is not used."),
  addresses: texts("Addresses of the sentinels.", { form: "host-port" }),
  username: text("User name for the sentinels."),
  password: secret("Password for the sentinels."),
});

const Cluster = section("Connection to Redis Cluster, used when addresses is not empty.", {
  addresses: texts("Addresses of some nodes of the cluster. The others are discovered.", { form: "host-port" }),
  username: text("User name for the cluster nodes."),
  password: secret("Password for the cluster nodes."),
});

/** One Redis connection of one role; `deriveRedisRoles` describes what a role without a connection takes over. */
const RedisRole = (use: string) =>
  section(`${use} Without url, sentinels.master or cluster.addresses, the role uses the shared connection.`, {
    url: text("URL of the server and database: redis://host:port/database, or rediss:// for TLS.", {
      default: "redis://127.0.0.1:6379/0",
      form: "redis-url",
      minLength: 1,
    }),
    username: text("User name. If empty, the one in url is used."),
    password: secret("Password. If empty, the one in url is used."),
    database_number: integer(0, "Database number on servers that Sentinel names.", { maximum: 15 }),
    tls: ClientTls,
    sentinels: Sentinels,
    cluster: Cluster,
  });

export const Storage = section("State: connections to Redis, secrets and cache lifetimes.", {
  redis: section("Connections to Redis, secrets and cache lifetimes.", {
    prefix: text("Prefix of every Redis key.", { default: "postern:", form: "key-prefix" }),
    password_nonce: secret("Secret that keys the password digests in caches and counters.", { minLength: 16 }),
    encryption_secret: secret("Secret that encrypts values stored in Redis.", { minLength: 16 }),
    encryption_secrets_old: entries(
      "Former values of encryption_secret, which can still decrypt. Remove one when everything that it encrypted has expired.",
      section("A former value.", { secret: secret("Former value.", { minLength: 16 }) }),
    ),
    positive_cache_ttl: duration("1h", "Lifetime of a successful decision in the shared result cache.", {
      minimum: 1000,
      maximum: 86_400_000,
      reload: "live",
    }),
    result_cache_timeout: duration(
      "100ms",
      "Longest time that a decision waits for the shared result cache. After it, the backend is queried.",
      { minimum: 10, maximum: 2000 },
    ),
    identity_cache: section(
      "Shared cache of lookups (mode=no-auth). Only successful lookups in LDAP backends are cached.",
      {
        enabled: flag("Whether lookups are cached."),
        ttl: duration("5m", "Lifetime of a cached lookup.", { minimum: 1000, maximum: 86_400_000, reload: "live" }),
      },
    ),
    client_tracking: section("Values of Redis that engines keep until Redis reports a change.", {
      enabled: flag(
        "Whether engines keep bans, failures and facts of accounts that they have read. Needs Redis 6; not used with Redis Cluster.",
        { default: true },
      ),
    }),
    connect_timeout: duration("5s", "Timeout for establishing a connection.", { minimum: 10 }),
    read_timeout: duration("1s", "Timeout of reading the state of a token.", {
      minimum: 10,
      defaultFrom: "runtime.timeouts.redis_read",
    }),
    write_timeout: duration("2s", "Timeout of all other commands, reads included.", {
      minimum: 10,
      defaultFrom: "runtime.timeouts.redis_write",
    }),
    max_retries: integer(
      0,
      "Number of times a command is repeated after a lost connection. Redis may have executed it before: keep 0, so that nothing is executed twice.",
      { maximum: 20 },
    ),
    database_number: integer(0, "Database number of the shared connection.", { maximum: 15 }),
    primary: section("Shared connection, used by all roles that do not set their own.", {
      address: text("Address of the server, as host:port.", { form: "host-port" }),
      username: text("User name."),
      password: secret("Password."),
    }),
    tls: ClientTls,
    sentinels: Sentinels,
    cluster: Cluster,
    roles: section("Connections by use. A single server can serve all three roles.", {
      state: RedisRole("Sessions, tokens and counters. The server must use the eviction policy noeviction."),
      queue: RedisRole("Background jobs. The server must use the eviction policy noeviction."),
      cache: RedisRole("Result caches. The server may evict keys."),
    }),
  }),
});

const redis = ["storage", "redis"] as const;
const roles = ["state", "queue", "cache"] as const;
const ownConnection: readonly Path[] = [["url"], ["sentinels", "master"], ["cluster", "addresses"]];
const sharedSections = ["tls", "sentinels", "cluster"] as const;

/** A role that does not configure its own server uses the shared connection, except for keys that it sets itself. */
export function deriveRedisRoles(draft: Draft): void {
  for (const role of roles) {
    const path: Path = [...redis, "roles", role];
    if (ownConnection.every((key) => isDefault(draft, [...path, ...key]))) takeShared(draft, path);
  }
}

function takeShared(draft: Draft, role: Path): void {
  for (const name of ["username", "password"]) follow(draft, [...role, name], [...redis, "primary", name]);
  follow(draft, [...role, "database_number"], [...redis, "database_number"]);
  for (const section of sharedSections) {
    const keys = valueAt(draft.root, [...redis, section]);
    for (const name of isMapping(keys) ? Object.keys(keys) : []) {
      follow(draft, [...role, section, name], [...redis, section, name]);
    }
  }
  const addressPath: Path = [...redis, "primary", "address"];
  const databasePath: Path = [...redis, "database_number"];
  const address = valueAt(draft.root, addressPath);
  const database = valueAt(draft.root, databasePath);
  const isTls = valueAt(draft.root, [...redis, "tls", "enabled"]) === true;
  const isNamed = typeof address === "string" && address !== "";
  if (!isNamed && isDefault(draft, databasePath) && !isTls) return;
  const url = `${isTls ? "rediss" : "redis"}://${isNamed ? address : "127.0.0.1:6379"}/${String(database)}`;
  assign(draft, [...role, "url"], url, formatPath(isNamed ? addressPath : databasePath));
}

/** Caches in Redis are encrypted and contain passwords only as keyed digests. */
function validateCacheSecrets({ storage, auth }: Config, { problem }: Judgement): void {
  const { redis } = storage;
  const isShared = auth.backends.order.includes("cache");
  if (!isShared && !redis.identity_cache.enabled) return;
  const user = isShared ? "auth.backends.order contains cache" : "storage.redis.identity_cache.enabled is true";
  for (const name of ["password_nonce", "encryption_secret"] as const) {
    if (redis[name] === "") problem(`storage.redis.${name}`, messages.needsWhen(user));
  }
}

export function validateStorage(config: Config, judgement: Judgement): void {
  const { problem } = judgement;
  validateCacheSecrets(config, judgement);
  const { redis } = config.storage;
  checkFilled(redis.encryption_secrets_old, "storage.redis.encryption_secrets_old", "secret", judgement);
  if (redis.encryption_secrets_old.length > 0) {
    checkEncryption(redis, "encryption_secrets_old has entries", judgement);
  }
  for (const role of roles) {
    const { sentinels, tls } = redis.roles[role];
    const path = `storage.redis.roles.${role}`;
    if (sentinels.master !== "" && sentinels.addresses.length === 0) {
      problem(`${path}.sentinels.addresses`, messages.needsWhen(`${path}.sentinels.master is set`));
    }
    checkPair(tls, `${path}.tls`, ["cert", "key"], judgement);
    warnOfExposure(redis, role, judgement);
  }
}

/** A role that uses the shared connection is reported under its keys, so that one warning about it is enough. */
function warnOfExposure(
  { primary, roles }: RedisConfig,
  role: keyof RedisConfig["roles"],
  { warning }: Judgement,
): void {
  const { url, password, sentinels, cluster, tls } = roles[role];
  const own = sentinels.master === "" ? [url] : sentinels.addresses;
  const addresses = cluster.addresses.length > 0 ? cluster.addresses : own;
  const host = addresses.map(remoteHostOf).find((remote) => remote !== undefined);
  if (host === undefined) return;
  const isShared = primary.address !== "" && remoteHostOf(url) === remoteHostOf(primary.address);
  const [login, security] = isShared
    ? ["storage.redis.primary.password", "storage.redis.tls.enabled"]
    : [`storage.redis.roles.${role}.password`, `storage.redis.roles.${role}.tls.enabled`];
  const passwords = [password, cluster.password, URL.parse(url)?.password ?? ""];
  if (passwords.every((text) => text === "")) warning(login, messages.remoteWithoutLogin(host));
  if (!tls.enabled && !url.startsWith("rediss:")) warning(security, messages.remoteWithoutTls(host));
}
