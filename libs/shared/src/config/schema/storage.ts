import { duration, entries, flag, integer, secret, section, text, texts } from "./fields.ts";
import { ClientTls } from "./tls.ts";

const Sentinels = section("Redis Sentinel; used when master is set.", {
  master: text("", { description: "Name of the master group." }),
  addresses: texts([], { description: "Sentinels.", form: "host-port" }),
  username: text("", { description: "User name at the sentinels." }),
  password: secret({ description: "Password at the sentinels." }),
});

const Cluster = section("Redis Cluster; used when addresses is not empty.", {
  addresses: texts([], { description: "Some nodes of the cluster.", form: "host-port" }),
  username: text("", { description: "User name at the nodes." }),
  password: secret({ description: "Password at the nodes." }),
});

/** One Redis connection of one role; see `deriveRedisRoles` for what an unset role takes over. */
export const RedisRole = (use: string) =>
  section(`${use} Without url, sentinels.master or cluster.addresses it uses the shared connection.`, {
    url: text("redis://127.0.0.1:6379/0", {
      description: "Server and database: redis://host:port/database, or rediss:// for TLS.",
      form: "redis-url",
      minLength: 1,
    }),
    username: text("", { description: "User name; empty takes the URL's." }),
    password: secret({ description: "Password; empty takes the URL's." }),
    database_number: integer(0, { description: "Database behind Sentinel.", maximum: 15 }),
    tls: ClientTls,
    sentinels: Sentinels,
    cluster: Cluster,
  });

/** Redis in its three roles. */
export const Storage = section("Where state is kept.", {
  redis: section("Redis.", {
    prefix: text("postern:", { description: "Begin of every key.", form: "key-prefix" }),
    password_nonce: secret({ description: "Pepper of the password digests in caches and counters.", minLength: 16 }),
    encryption_secret: secret({ description: "Key that encrypts values at rest in Redis.", minLength: 16 }),
    encryption_secrets_old: entries(
      "Former values of encryption_secret: they still decrypt. Remove one when what it encrypted has expired.",
      section("A former value.", { secret: secret({ description: "The secret.", minLength: 16 }) }),
    ),
    positive_cache_ttl: duration("1h", {
      description: "Life of a success in the shared cache.",
      minimum: 1000,
      maximum: 86_400_000,
      reload: "live",
    }),
    result_cache_timeout: duration("100ms", {
      description: "Longest wait for the shared cache; then the directory is asked.",
      minimum: 10,
      maximum: 2000,
    }),
    identity_cache: section("Shared cache of mode=no-auth; keeps successful LDAP look-ups only.", {
      enabled: flag(false, { description: "Keep them." }),
      ttl: duration("5m", {
        description: "Life of a look-up.",
        minimum: 1000,
        maximum: 86_400_000,
        reload: "live",
      }),
    }),
    connect_timeout: duration("5s", { description: "Time for a connection to come up.", minimum: 10 }),
    read_timeout: duration("1s", {
      description: "One command that reads.",
      minimum: 10,
      defaultFrom: "runtime.timeouts.redis_read",
    }),
    write_timeout: duration("2s", {
      description: "One command that writes.",
      minimum: 10,
      defaultFrom: "runtime.timeouts.redis_write",
    }),
    max_retries: integer(1, { description: "Repetitions of a command after a lost connection.", maximum: 20 }),
    database_number: integer(0, { description: "Database of the shared connection.", maximum: 15 }),
    primary: section("The shared connection of all roles that name none.", {
      address: text("", { description: "Server, host:port.", form: "host-port" }),
      username: text("", { description: "User name." }),
      password: secret({ description: "Password." }),
    }),
    tls: ClientTls,
    sentinels: Sentinels,
    cluster: Cluster,
    roles: section("One connection for each use. One server is enough to start.", {
      state: RedisRole("Sessions, tokens, counters: noeviction."),
      queue: RedisRole("Background jobs: noeviction."),
      cache: RedisRole("Result caches: eviction is welcome."),
    }),
  }),
});
