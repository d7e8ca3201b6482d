import { choice, decimal, duration, flag, integer, secret, section, text, texts } from "./fields.ts";

const connection = {
  server_uri: texts([], { description: "Servers: ldap://, ldaps:// or ldapi://.", form: "ldap-url" }),
  bind_dn: text("", { description: "Service account that searches." }),
  bind_pw: secret({ description: "Its password." }),
  starttls: flag(false, { description: "Upgrade ldap:// connections with StartTLS before anything else." }),
  tls_skip_verify: flag(false, { description: "Accept any certificate. For tests only." }),
  tls_ca_cert: text("", { description: "File with the authorities to trust, PEM; empty trusts the system's." }),
  tls_client_cert: text("", { description: "File with our client certificate, PEM." }),
  tls_client_key: text("", { description: "File with our client certificate's private key, PEM." }),
  sasl_external: flag(false, { description: "Bind the service account by SASL EXTERNAL with the client certificate." }),
};

const pools = {
  pool_only: flag(false, { description: "Only provide connections; no search uses this pool by default." }),
  lookup_pool_only: flag(false, { description: "No pool for binds of users: lookups only." }),
  number_of_workers: integer(10, { description: "Operations that wait or run at a time.", minimum: 1 }),
  lookup_pool_size: integer(0, { description: "Connections for searches; 0 takes 2." }),
  auth_pool_size: integer(0, { description: "Connections for binds of users; 0 takes 16." }),
  lookup_idle_pool_size: integer(2, { description: "Search connections that are kept open." }),
  auth_idle_pool_size: integer(2, { description: "Bind connections that are kept open." }),
  lookup_queue_length: integer(0, { description: "Searches that may wait; 0 takes 1024." }),
  auth_queue_length: integer(0, { description: "Binds that may wait; 0 takes 1024." }),
  auth_rate_limit_per_second: decimal(0, { description: "Binds a second; 0 sets no limit.", unit: "binds/s" }),
  auth_rate_limit_burst: integer(0, { description: "Binds at once above that rate.", unit: "binds" }),
};

const deadlines = {
  connect_abort_timeout: duration("0s", {
    description: "A connection, its TLS included, to come up; 0 takes 3s.",
  }),
  search_timeout: duration("3s", { description: "One search.", defaultFrom: "runtime.timeouts.ldap_search" }),
  bind_timeout: duration("3s", { description: "One bind.", defaultFrom: "runtime.timeouts.ldap_bind" }),
  modify_timeout: duration("5s", { description: "One change.", defaultFrom: "runtime.timeouts.ldap_modify" }),
  search_size_limit: integer(0, { description: "Entries that the server may return; 0 leaves it to the server." }),
  search_time_limit: duration("0s", { description: "Time that the server may search; 0 leaves it to the server." }),
};

const resilience = {
  retry_max: integer(2, { description: "Repetitions of an operation that met a broken connection.", maximum: 10 }),
  retry_base: duration("200ms", { description: "First wait before a repetition." }),
  retry_max_backoff: duration("2s", { description: "Longest wait before a repetition." }),
  cb_failure_threshold: integer(5, { description: "Failures in a row that take a server out.", minimum: 1 }),
  cb_cooldown: duration("30s", { description: "Time that a server stays out." }),
  cb_half_open_max: integer(1, { description: "Trial operations when it comes back.", minimum: 1 }),
  health_check_interval: duration("10s", { description: "Time between two health checks.", minimum: 100 }),
  health_check_timeout: duration("1500ms", { description: "Time for one health check.", minimum: 10 }),
};

const caches = {
  dn_cache_ttl: duration("0s", { description: "Life of a remembered DN; 0 remembers none." }),
  membership_cache_ttl: duration("2m", { description: "Life of remembered group memberships." }),
  negative_cache_ttl: duration("20s", { description: "Life of a remembered absence of a user." }),
  cache_max_entries: integer(5000, { description: "Bound of each of these caches.", minimum: 1 }),
  cache_impl: choice(["ttl", "lru"], "ttl", {
    description: "What leaves a full cache: the oldest, or the least used.",
  }),
};

/** Connections to one group of equal LDAP servers (behaviour reference §4.2). */
export const LdapPool = section("Connections to one group of equal LDAP servers.", {
  ...connection,
  ...pools,
  ...deadlines,
  ...resilience,
  ...caches,
  include_raw_result: flag(false, { description: "Give scripts the raw search result too." }),
  encryption_secret: secret({ description: "Key that encrypts second factors in the directory.", minLength: 16 }),
});
