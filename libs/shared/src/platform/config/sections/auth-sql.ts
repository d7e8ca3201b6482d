import { messages } from "../messages.ts";
import { checkPair, type Judgement } from "./checks.ts";
import {
  choice,
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
import type { Config, SqlPoolConfig } from "./root.ts";
import { breaker, checkPool, clientTlsFiles, poolsOf } from "./servers.ts";

const of = (what: string) => text(`${what} If empty, Postern's own table is used.`);

const SqlMfa = section("Second factors and app passwords, in Postern's own tables or through the site's queries.", {
  enabled: flag("Whether second factors and app passwords are stored in this database."),
  table_prefix: text("Prefix of the table names. It may include a schema.", {
    default: "postern_",
    form: "sql-name-prefix",
    minLength: 1,
  }),
  queries: section("Queries for tables that the site has already. All except webauthn_find may use :account.", {
    totp_read: of("Query that returns the TOTP secret in its first column."),
    totp_write: of("Statement that stores :secret. totp_delete runs before it."),
    totp_delete: of("Statement that deletes the TOTP secret."),
    recovery_read: of("Query that returns one recovery code per row, in its first column."),
    recovery_add: of("Statement that adds the recovery code :code."),
    recovery_remove: of(
      "Statement that deletes the recovery code :code. If two run concurrently, only one may report a deleted row.",
    ),
    recovery_clear: of("Statement that deletes all recovery codes."),
    webauthn_read: of("Query that returns one WebAuthn credential per row, in its first column."),
    webauthn_add: of("Statement that adds the credential :credential."),
    webauthn_replace: of("Statement that replaces the credential :old with :credential."),
    webauthn_remove: of("Statement that deletes the credential :credential."),
    webauthn_find: text(
      "Query that returns account and credential of every row whose credential is LIKE :pattern. It prevents two accounts from having the same credential. If empty, Postern's own table is used, or none if webauthn_add is set.",
    ),
    app_password_read: of(
      "Query that returns id, digest, label, protocols, created_at and last_used_at of each app password.",
    ),
    app_password_add: of("Statement that adds an app password with :id, :digest, :label, :protocols and :created_at."),
    app_password_remove: of("Statement that deletes the app password :id."),
    app_password_touch: of(
      "Statement that stores :at, in seconds since the epoch, as the last use of the app password :id.",
    ),
  }),
});

const embedded = {
  file: text("Path of the database file, for SQLite. It is created if it does not exist."),
  seed_file: text("Path of a file with SQL statements that run once, when the SQLite database file is created."),
  busy_timeout: duration("250ms", "Longest time to wait for another process's write to an SQLite file."),
};

const servers = {
  server: texts(
    "Addresses of equivalent servers, such as db1.example.org:5432. Connections are spread over the healthy ones.",
    { form: "host-port" },
  ),
  database: text("Name of the database."),
  user: text("User name for the server."),
  password: secret("Password for the server."),
  tls: flag("Whether connections must use TLS."),
  tls_skip_verify: flag("Whether any server certificate is accepted. For tests only."),
  ...clientTlsFiles,
};

const bounds = {
  pool_size: integer(8, "Number of connections to all servers together.", { minimum: 1, maximum: 1024 }),
  queue_length: integer(1024, "Maximum number of statements that wait. Further ones are temporary failures."),
  connect_timeout: duration("3s", "Timeout for establishing a connection, including TLS and login.", { minimum: 10 }),
  query_timeout: duration("3s", "Timeout of a statement.", { minimum: 10, defaultFrom: "runtime.timeouts.sql_query" }),
  ...breaker("statements"),
};

const SqlPool = section("Connection to one database: a file or a group of equivalent servers.", {
  driver: choice(["sqlite", "postgresql", "mysql"], "Database system. `mysql` is for MariaDB too."),
  ...embedded,
  ...servers,
  ...bounds,
});

const Mapping = section("Names of the columns.", {
  account_field: requiredText("Column with the canonical account name.", { example: "account" }),
  password_column: text("Column with the password hash and its scheme.", { default: "password", minLength: 1 }),
  totp_secret_field: text("Column with the TOTP secret."),
  display_name_field: text("Column with the display name. If empty, account_field is used."),
  unique_user_id_field: text(
    "Column with an identifier that survives renames and is never reassigned. The OIDC subject and persistent SAML name IDs are derived from it.",
  ),
  disabled_column: text("Column that is true or non-zero for accounts that are disabled."),
});

const SqlSearch = section("Search for the users of some protocols.", {
  protocol: requiredTexts("Protocols for which this entry is used. * stands for all others.", {
    example: ["*"],
    form: "protocol",
  }),
  cache_name: requiredText("Namespace of the cached results of this entry.", { example: "mail" }),
  pool_name: text("Name of the database: `default`, or one of `pools`.", { default: "default", minLength: 1 }),
  queries: section("SQL queries. Parameters are bound by the driver.", {
    user: requiredText("Query that finds one user. It may use :username, :localpart, :domain and :protocol.", {
      example: "SELECT * FROM users WHERE account = :username",
    }),
    list_accounts: text(
      "Query that returns all account names as text, in the column account_field or as its only column. It may use :protocol. It is read in pages by key: an index in the column's binary order keeps each page fast. If empty, no accounts are listed.",
    ),
    upgrade_password: text(
      "Statement that replaces :old_password of :account with :password, an Argon2id hash. It runs after a login whose stored hash is weaker or of another kind. If empty, hashes are not upgraded.",
    ),
  }),
  mfa: SqlMfa,
  mapping: Mapping,
  attribute: texts("Columns that are released to API callers, in addition to account_field."),
});

export const SqlBackend = section("SQL backends.", {
  default: SqlPool,
  pools: named("Additional databases, by name.", SqlPool),
  search: entries("Searches for users. The first entry for the request's protocol is used.", SqlSearch),
});

const root = "auth.backends.sql";

export function validateSql(config: Config, judgement: Judgement): void {
  const { sql } = config.auth.backends;
  const { search } = sql;
  const { problem } = judgement;
  const served = new Set<string>();
  search.forEach(({ pool_name, protocol: protocols, attribute, mapping }, index) => {
    const path = `${root}.search[${index}]`;
    checkPool(sql.pools, pool_name, `${path}.pool_name`, judgement);
    const twice = protocols.find((protocol) => served.has(`${pool_name} ${protocol}`));
    if (twice !== undefined) problem(`${path}.protocol`, messages.protocolTwice(twice));
    if (attribute.includes(mapping.password_column)) problem(`${path}.attribute`, messages.passwordReleased);
    for (const protocol of protocols) served.add(`${pool_name} ${protocol}`);
  });
  const used = new Set(search.map(({ pool_name }) => pool_name));
  for (const { name, pool, path } of poolsOf("sql", sql)) {
    if (used.has(name)) validatePool(pool, path, judgement);
  }
}

function validatePool(pool: SqlPoolConfig, path: string, judgement: Judgement): void {
  const { driver, file, server, database, user } = pool;
  const needed = driver === "sqlite" ? { file } : { server: server.join(","), database, user };
  for (const [name, value] of Object.entries(needed)) {
    const condition = `${path}.driver is ${driver} and a search uses it`;
    if (value === "") judgement.problem(`${path}.${name}`, messages.needsWhen(condition));
  }
  if (driver !== "sqlite") checkPair(pool, path, ["tls_client_cert", "tls_client_key"], judgement);
}
