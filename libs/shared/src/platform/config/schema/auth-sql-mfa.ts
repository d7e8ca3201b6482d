import { flag, section, text } from "./fields.ts";

const of = (what: string) => text(`${what} If empty, Postern's own table is used.`);

/** Second factors and app passwords in a database, in Postern's own tables or through the site's queries. */
export const SqlMfa = section(
  "Second factors and app passwords, in Postern's own tables or through the site's queries.",
  {
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
      app_password_add: of(
        "Statement that adds an app password with :id, :digest, :label, :protocols and :created_at.",
      ),
      app_password_remove: of("Statement that deletes the app password :id."),
      app_password_touch: of(
        "Statement that stores :at, in seconds since the epoch, as the last use of the app password :id.",
      ),
    }),
  },
);
