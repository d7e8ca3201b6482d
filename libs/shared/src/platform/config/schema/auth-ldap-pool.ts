import { choice, decimal, duration, flag, integer, secret, section, text, texts } from "./fields.ts";

const connection = {
  server_uri: texts("URLs of the servers: ldap://, ldaps:// or ldapi://.", { form: "ldap-url" }),
  bind_dn: text("DN of the service account that searches."),
  bind_pw: secret("Password of the service account."),
  starttls: flag("Whether ldap:// connections are upgraded with StartTLS before anything else is sent."),
  tls_skip_verify: flag("Whether any server certificate is accepted. For tests only."),
  tls_ca_cert: text(
    "Path of the PEM file with the trusted CA certificates. If empty, the public CAs of Node.js and those of runtime.outgoing_tls.ca_file are trusted.",
  ),
  tls_client_cert: text("Path of the PEM file with Postern's client certificate."),
  tls_client_key: text("Path of the PEM file with the private key of the client certificate."),
  sasl_external: flag(
    "Whether the service account binds with SASL EXTERNAL: with the client certificate, or over an `ldapi://` socket as the service's operating system user.",
  ),
};

const pools = {
  lookup_pool_only: flag("Whether the pool serves lookups only and never verifies passwords."),
  lookup_pool_size: integer(0, "Number of connections for searches. 0 uses 2."),
  auth_pool_size: integer(0, "Number of connections for binds as users. 0 uses 16."),
  lookup_idle_pool_size: integer(2, "Number of search connections that are opened in advance."),
  auth_idle_pool_size: integer(2, "Number of bind connections that are opened in advance."),
  lookup_queue_length: integer(0, "Maximum number of searches that wait for a connection. 0 uses 1024."),
  auth_queue_length: integer(0, "Maximum number of binds that wait for a connection. 0 uses 1024."),
  bind_password_form: choice(
    ["as_sent", "nfc"],
    "Unicode form of the passwords of binds. With `nfc`, decomposed letters, as macOS sends them, are composed; use it if the passwords in the directory are. There is one bind per attempt, because servers count failed binds.",
  ),
  auth_rate_limit_per_second: decimal(0, "Maximum rate of binds. 0 sets no limit.", { unit: "binds/s" }),
  auth_rate_limit_burst: integer(0, "Number of binds that may exceed this rate in one burst.", { unit: "binds" }),
  decoy_dns: texts(
    "DNs of decoy entries to which the engine binds for unknown user names, so that the server spends as much time as for an account. The user name determines the entry. Exempt these entries from lockout. If empty, the engine waits as long as known accounts take.",
  ),
};

const deadlines = {
  connect_abort_timeout: duration("0s", "Timeout for establishing a connection, including TLS. 0 uses 3s."),
  search_timeout: duration("3s", "Timeout of a search. 0 uses 3s.", { defaultFrom: "runtime.timeouts.ldap_search" }),
  bind_timeout: duration("3s", "Timeout of a bind. 0 uses 3s.", { defaultFrom: "runtime.timeouts.ldap_bind" }),
  modify_timeout: duration("5s", "Timeout of a modify operation. 0 uses 5s.", {
    defaultFrom: "runtime.timeouts.ldap_modify",
  }),
  search_size_limit: integer(
    0,
    "Maximum number of entries that the server may return to a search for groups. If there are more, the request is a temporary failure. 0 leaves the limit to the server.",
  ),
  search_time_limit: duration(
    "0s",
    "Time limit that is sent to the server with each search, in whole seconds. 0 uses one second less than search_timeout, at least 1s.",
  ),
};

const resilience = {
  cb_failure_threshold: integer(5, "Number of consecutive failures after which a server is no longer used.", {
    minimum: 1,
  }),
  cb_cooldown: duration("30s", "Time for which a failed server is not used. 0 uses 30s."),
  cb_half_open_max: integer(1, "Number of trial operations before a failed server is fully used again.", {
    minimum: 1,
  }),
  health_check_interval: duration("10s", "Interval between two health checks.", { minimum: 100 }),
  health_check_timeout: duration("1500ms", "Timeout of a health check.", { minimum: 10 }),
};

const caches = {
  dn_cache_ttl: duration("0s", "Lifetime of a cached DN. 0 disables this cache."),
  membership_cache_ttl: duration("2m", "Lifetime of cached group memberships."),
  negative_cache_ttl: duration("20s", "Time for which an unknown user name is remembered."),
  cache_max_entries: integer(5000, "Maximum number of entries in each of these caches.", { minimum: 1 }),
  cache_impl: choice(
    ["ttl", "lru"],
    "Entry that a full cache removes: the oldest (`ttl`) or the least recently used (`lru`).",
  ),
};

/** Connections to one group of equivalent LDAP servers. */
export const LdapPool = section("Connections to one group of equivalent LDAP servers.", {
  ...connection,
  ...pools,
  ...deadlines,
  ...resilience,
  ...caches,
  encryption_secret: secret("Secret that encrypts second factors in the LDAP directory.", { minLength: 16 }),
});
