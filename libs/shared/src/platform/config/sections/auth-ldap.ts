import { messages } from "../messages.ts";
import { checkPair, type Judgement } from "./checks.ts";
import {
  choice,
  decimal,
  duration,
  entries,
  flag,
  integer,
  named,
  requiredText,
  requiredTexts,
  secret,
  section,
  text,
  texts,
} from "./fields.ts";
import type { Config, LdapPoolConfig } from "./root.ts";
import { breaker, checkPool, clientTlsFiles, poolsOf } from "./servers.ts";

const connection = {
  server_uri: texts("URLs of the servers: ldap://, ldaps:// or ldapi://.", { form: "ldap-url" }),
  bind_dn: text("DN of the service account that searches."),
  bind_pw: secret("Password of the service account."),
  starttls: flag("Whether ldap:// connections are upgraded with StartTLS before anything else is sent."),
  tls_skip_verify: flag("Whether any server certificate is accepted. For tests only."),
  ...clientTlsFiles,
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
  ...breaker("operations", " 0 uses 30s."),
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

const LdapPool = section("Connections to one group of equivalent LDAP servers.", {
  ...connection,
  ...pools,
  ...deadlines,
  ...resilience,
  ...caches,
  encryption_secret: secret("Secret that encrypts second factors in the LDAP directory.", { minLength: 16 }),
});

const Mapping = section("Names of the LDAP attributes and object classes.", {
  account_field: requiredText("Attribute with the canonical account name. Its first value is used.", {
    example: "mail",
  }),
  totp_secret_field: text("Attribute with the TOTP secret."),
  totp_recovery_field: text("Attribute with the recovery codes."),
  totp_object_class: text("Object class that permits the attribute with the TOTP secret."),
  totp_recovery_object_class: text("Object class that permits the attribute with the recovery codes."),
  display_name_field: text("Attribute with the display name. If empty, account_field is used."),
  webauthn_credential_field: text("Attribute with the WebAuthn credentials."),
  webauthn_object_class: text("Object class that permits the attribute with the WebAuthn credentials."),
  app_password_field: text("Attribute with the app passwords, one JSON object per value."),
  app_password_object_class: text("Object class that permits the attribute with the app passwords."),
  unique_user_id_field: text(
    "Attribute with an identifier that survives renames and is never reassigned. The OIDC subject and persistent SAML name IDs are derived from it.",
  ),
});

const Groups = section("Lookup of group memberships.", {
  strategy: choice(
    ["", "member_of", "search", "hybrid"],
    "Method: `member_of` reads an attribute of the user, `search` searches for groups, `hybrid` does both. If empty, no groups are found.",
  ),
  attribute: text("Attribute of the user with the DNs of its groups.", { default: "memberOf" }),
  base_dn: text("Base DN of searches for groups."),
  scope: choice(["base", "one", "sub"], "Scope of searches for groups.", { default: "sub" }),
  filter: text("Filter that finds the groups of %{user_dn}."),
  name_attribute: text("Attribute of a group with its name.", { default: "cn" }),
  recursive: flag("Whether groups that contain groups are followed."),
  release_as: text("Attribute under which API callers receive the group names. If empty, they are not released."),
  max_depth: integer(8, "Maximum depth of nested groups.", { minimum: 1, maximum: 32 }),
});

const LdapSearch = section("Search for the users of some protocols.", {
  protocol: requiredTexts("Protocols for which this entry is used.", { example: ["imap", "smtp"], form: "protocol" }),
  cache_name: requiredText("Namespace of the cached results of this entry.", { example: "mail" }),
  pool_name: text("Name of the pool: `default`, or one of `pools`.", { default: "default", minLength: 1 }),
  base_dn: requiredText("Base DN of searches for users.", { example: "ou=people,dc=example,dc=test" }),
  scope: choice(["base", "one", "sub"], "Scope of searches for users.", { default: "sub" }),
  filter: section("Search filters. Values that replace macros are escaped.", {
    user: requiredText("Filter that finds one user.", { example: "(mail=%L{user})" }),
    list_accounts: text(
      "Filter that finds all users, in pages (RFC 2696). The service account needs a size limit above their number, or listing them ends in a temporary failure. If empty, no users are listed.",
    ),
    disabled: text(
      "Filter that matches accounts that are disabled: no password is accepted, and lookups report an unknown user. It costs one more search per lookup and successful login. If empty, only the bind can refuse such accounts.",
    ),
  }),
  mapping: Mapping,
  attribute: texts("Attributes that are released to API callers, in addition to account_field."),
  release_dn: flag("Whether the DN of the entry is released too, as the attribute `dn`."),
  groups: Groups,
});

export const LdapBackend = section("LDAP backends.", {
  default: LdapPool,
  pools: named("Additional pools, by name.", LdapPool),
  search: entries(
    "Searches for users. Among the entries for the request's protocol, the first that finds the user is used.",
    LdapSearch,
  ),
});

const root = "auth.backends.ldap";

export function validateLdap(config: Config, judgement: Judgement): void {
  const { problem } = judgement;
  const { ldap } = config.auth.backends;
  const { search } = ldap;
  search.forEach(({ pool_name, groups, protocol }, index) => {
    const path = `${root}.search[${index}]`;
    checkPool(ldap.pools, pool_name, `${path}.pool_name`, judgement);
    if (groups.strategy === "search" || groups.strategy === "hybrid") {
      const needed = messages.needsWhen(`${path}.groups.strategy is ${groups.strategy}`);
      if (groups.base_dn === "") problem(`${path}.groups.base_dn`, needed);
      if (groups.filter === "") problem(`${path}.groups.filter`, needed);
    }
    if (protocol.includes("*")) problem(`${path}.protocol`, messages.star);
  });
  const isDefaultUsed = search.some(({ pool_name }) => pool_name === "default");
  for (const { pool, path } of poolsOf("ldap", ldap)) {
    const isNeeded = path !== "auth.backends.ldap.default" || isDefaultUsed;
    if (isNeeded && pool.server_uri.length === 0) problem(`${path}.server_uri`, messages.required);
    validatePool(pool, path, judgement);
  }
}

function validatePool(pool: LdapPoolConfig, path: string, judgement: Judgement): void {
  const { problem } = judgement;
  if (pool.bind_pw !== "" && pool.bind_dn === "") {
    problem(`${path}.bind_dn`, messages.needsWhen(`${path}.bind_pw is set`));
  }
  if (pool.bind_dn !== "" && pool.bind_pw === "" && !pool.sasl_external) {
    problem(`${path}.bind_pw`, messages.needsWhen(`${path}.bind_dn is set`));
  }
  checkPair(pool, path, ["tls_client_cert", "tls_client_key"], judgement);
}
