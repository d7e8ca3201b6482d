import { SqlMfa } from "./auth-sql-mfa.ts";
import { SqlPool } from "./auth-sql-pool.ts";
import { entries, named, requiredText, requiredTexts, section, text, texts } from "./fields.ts";

const Mapping = section("Which columns hold what.", {
  account_field: requiredText({ description: "The canonical account name.", example: "account" }),
  password_column: text("password", { description: "The password hash with its scheme.", minLength: 1 }),
  totp_secret_field: text("", { description: "TOTP secret." }),
  display_name_field: text("", { description: "Name for people; empty takes account_field." }),
  unique_user_id_field: text("", { description: "Identifier that never changes, for OIDC and WebAuthn." }),
  disabled_column: text("", { description: "True or non-zero for accounts that must not log in." }),
});

/** How users of some protocols are found in a database. */
export const SqlSearch = section("How users of some protocols are found.", {
  protocol: requiredTexts({ description: "Protocols that this entry serves; * serves all others.", example: ["*"] }),
  cache_name: requiredText({ description: "Name space of this entry's cached results.", example: "mail" }),
  pool_name: text("default", { description: "Database to ask: default, or one of pools.", minLength: 1 }),
  queries: section("Queries. Parameters are bound, never pasted.", {
    user: requiredText({
      description: "Finds one user; may use :username, :localpart, :domain and :protocol.",
      example: "SELECT * FROM users WHERE account = :username",
    }),
    list_accounts: text("", {
      description:
        "Finds all accounts, as text, in the column account_field or in its only one; may use :protocol. It is read in pages by key, so an index of the column's binary order keeps each page quick. Empty lists none.",
    }),
    upgrade_password: text("", {
      description:
        "Stores :password, an Argon2id hash, for :account in place of :old_password after a login whose hash is of another kind. Empty upgrades none.",
    }),
  }),
  mfa: SqlMfa,
  mapping: Mapping,
  attribute: texts([], { description: "Columns that are released to callers." }),
});

/** The SQL directories. */
export const SqlBackend = section("SQL directories.", {
  default: SqlPool,
  pools: named("Further databases, by name.", SqlPool),
  search: entries("How users are found; the first entry with the request's protocol serves.", SqlSearch),
});
