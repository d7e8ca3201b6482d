import type { BackendAnswers, LdapAnswers, SiteAnswers, SqlAnswers, SqliteAnswers } from "./answers.ts";
import { isLocal, quoted, type SiteFiles } from "./yaml-lines.ts";

/** Mail (lmtp, lda and doveadm are Dovecot's own), the sign-in pages (oidc, saml, idp) and POST /api/v1/jwt/token (jwt). */
const protocols = "[imap, pop3, lmtp, lda, doveadm, smtp, submission, sieve, http, oidc, saml, idp, jwt]";

/** Accounts of an empty SQLite file. */
export const sqliteSeed = `-- Runs once, when Postern creates the database file. Make password hashes with: doveadm pw -s BLF-CRYPT
CREATE TABLE users (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  username     TEXT UNIQUE NOT NULL,
  password     TEXT NOT NULL,
  display_name TEXT NOT NULL DEFAULT '',
  enabled      INTEGER NOT NULL DEFAULT 1
) STRICT;
`;

function encryption({ server, caFile }: LdapAnswers): readonly string[] {
  const startTls = server.startsWith("ldap://") && !isLocal(server);
  return [
    ...(startTls ? ["        starttls: true"] : []),
    ...(caFile === "" ? [] : [`        tls_ca_cert: ${quoted(caFile)}`]),
  ];
}

/** Pages and applications know a user by this value. */
function uniqueIdLine(name: string): readonly string[] {
  return name === "" ? [] : [`            unique_user_id_field: ${quoted(name)}`];
}

/** Comments, because a server without the schema refuses to store the attributes. */
const factorLines = [
  "            # For second factors and app passwords, load ldap/postern.ldif of the examples into the server, then remove the #.",
  ...[
    ["totp_secret_field", "posternTotpSecret"],
    ["totp_object_class", "posternAccount"],
    ["totp_recovery_field", "posternRecoveryCode"],
    ["totp_recovery_object_class", "posternAccount"],
    ["webauthn_credential_field", "posternPasskey"],
    ["webauthn_object_class", "posternAccount"],
    ["app_password_field", "posternAppPassword"],
    ["app_password_object_class", "posternAccount"],
  ].map(([key, value]) => `            # ${key}: ${value}`),
];

function ldapLines(answers: LdapAnswers, files: SiteFiles): readonly string[] {
  return [
    "    order: [ldap]",
    "    ldap:",
    "      default:",
    `        server_uri: [${quoted(answers.server)}]`,
    ...(answers.bindDn === ""
      ? []
      : [
          `        bind_dn: ${quoted(answers.bindDn)}`,
          `        bind_pw: { file: ${quoted(files.secret("ldap_password"))} }`,
        ]),
    ...encryption(answers),
    "      search:",
    `        - protocol: ${protocols}`,
    "          cache_name: mail",
    `          base_dn: ${quoted(answers.baseDn)}`,
    "          filter:",
    "            # The engine replaces %L{user} with the name that the user typed, in lower case.",
    `            user: ${quoted(answers.filter)}`,
    "          mapping:",
    `            account_field: ${quoted(answers.accountAttribute)}`,
    ...uniqueIdLine(answers.uniqueId),
    ...factorLines,
  ];
}

function querySearch(query: string, uniqueId: string): readonly string[] {
  return [
    "      search:",
    `        - protocol: ${protocols}`,
    "          cache_name: mail",
    "          queries:",
    "            # Returns one row: the account and its password hash.",
    `            user: ${quoted(query)}`,
    "          mapping:",
    "            account_field: account",
    "            password_column: password",
    ...uniqueIdLine(uniqueId),
  ];
}

function sqlLines(answers: SqlAnswers, files: SiteFiles): readonly string[] {
  const { driver, server, database, user, query, uniqueId, caFile } = answers;
  return [
    "    order: [sql]",
    "    sql:",
    "      default:",
    `        driver: ${driver}`,
    `        server: [${quoted(server)}]`,
    `        database: ${quoted(database)}`,
    `        user: ${quoted(user)}`,
    `        password: { file: ${quoted(files.secret("sql_password"))} }`,
    ...(isLocal(server) ? [] : ["        tls: true"]),
    ...(caFile === "" ? [] : [`        tls_ca_cert: ${quoted(caFile)}`]),
    ...querySearch(query, uniqueId),
  ];
}

function sqliteLines({ file, query }: SqliteAnswers, files: SiteFiles): readonly string[] {
  return [
    "    order: [sql]",
    "    sql:",
    "      default:",
    "        driver: sqlite",
    `        file: ${quoted(file)}`,
    `        seed_file: ${quoted(files.path("accounts.sql"))}`,
    ...querySearch(query, "id"),
  ];
}

function linesOf(backend: BackendAnswers, files: SiteFiles): readonly string[] {
  switch (backend.kind) {
    case "ldap":
      return ldapLines(backend, files);
    case "sql":
      return sqlLines(backend, files);
    case "sqlite":
      return sqliteLines(backend, files);
  }
}

/** `auth.backends`. */
export function backendLines({ backend }: SiteAnswers, files: SiteFiles): readonly string[] {
  return ["  backends:", ...linesOf(backend, files)];
}
