import { flag, section, text } from "./fields.ts";

const of = (what: string) => text("", { description: `${what} Empty takes Postern's own table.` });

/** Second factors and app passwords in a database: in tables of ours, or by the site's own queries. */
export const SqlMfa = section("Second factors and app passwords, in tables or by queries of the site.", {
  enabled: flag(false, { description: "Keep them in this database." }),
  table_prefix: text("postern_", {
    description: "What the names of the tables begin with, a schema too.",
    form: "sql-name-prefix",
    minLength: 1,
  }),
  queries: section("The site's own queries, where it has tables already. All may use :account.", {
    totp_read: of("Gives the TOTP secret in its first column."),
    totp_write: of("Stores :secret; what totp_delete does is done before."),
    totp_delete: of("Deletes the TOTP secret."),
    recovery_read: of("Gives a recovery code a row in its first column."),
    recovery_add: of("Adds the recovery code :code."),
    recovery_remove: of("Deletes the one recovery code :code; exactly one of two at once may find it."),
    recovery_clear: of("Deletes all recovery codes."),
    webauthn_read: of("Gives a WebAuthn credential a row in its first column."),
    webauthn_add: of("Adds the credential :credential."),
    webauthn_replace: of("Replaces the credential :old by :credential."),
    webauthn_remove: of("Deletes the credential :credential."),
    app_password_read: of("Gives id, digest, label, protocols, created_at and last_used_at of each app password."),
    app_password_add: of("Adds :id, :digest, :label, :protocols and :created_at."),
    app_password_remove: of("Deletes the app password :id."),
    app_password_touch: of("Notes :at as the last use of the app password :id, in epoch seconds."),
  }),
});
