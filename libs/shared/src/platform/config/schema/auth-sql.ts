import { SqlMfa } from "./auth-sql-mfa.ts";
import { SqlPool } from "./auth-sql-pool.ts";
import { entries, named, requiredText, requiredTexts, section, text, texts } from "./fields.ts";

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

/** How users of some protocols are found in a database. */
export const SqlSearch = section("Search for the users of some protocols.", {
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

/** The SQL backends. */
export const SqlBackend = section("SQL backends.", {
  default: SqlPool,
  pools: named("Additional databases, by name.", SqlPool),
  search: entries("Searches for users. The first entry for the request's protocol is used.", SqlSearch),
});
