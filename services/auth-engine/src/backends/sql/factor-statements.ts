/** Parameters of each statement about second factors; all but `webauthn_find` also take `:account`. */
export const mfaParameters = {
  totp_read: [],
  totp_write: ["secret"],
  totp_delete: [],
  recovery_read: [],
  recovery_add: ["code"],
  recovery_remove: ["code"],
  recovery_clear: [],
  webauthn_read: [],
  webauthn_add: ["credential"],
  webauthn_replace: ["old", "credential"],
  webauthn_remove: ["credential"],
  webauthn_find: ["pattern"],
  app_password_read: [],
  app_password_add: ["id", "digest", "label", "protocols", "created_at"],
  app_password_remove: ["id"],
  app_password_touch: ["id", "at"],
} as const satisfies Record<string, readonly string[]>;

export type MfaStatementName = keyof typeof mfaParameters;

/** Statements for Postern's own tables (docs/connect/sql.md has their definitions). */
export function mfaTableStatements(prefix: string): Readonly<Record<MfaStatementName, string>> {
  const of = (table: string) => `${prefix}${table}`;
  const mine = "WHERE account = :account";
  return {
    totp_read: `SELECT secret FROM ${of("totp")} ${mine}`,
    totp_write: `INSERT INTO ${of("totp")} (account, secret) VALUES (:account, :secret)`,
    totp_delete: `DELETE FROM ${of("totp")} ${mine}`,
    recovery_read: `SELECT code FROM ${of("recovery_codes")} ${mine}`,
    recovery_add: `INSERT INTO ${of("recovery_codes")} (account, code) VALUES (:account, :code)`,
    recovery_remove: `DELETE FROM ${of("recovery_codes")} ${mine} AND code = :code`,
    recovery_clear: `DELETE FROM ${of("recovery_codes")} ${mine}`,
    webauthn_read: `SELECT credential FROM ${of("webauthn")} ${mine}`,
    webauthn_add: `INSERT INTO ${of("webauthn")} (account, credential) VALUES (:account, :credential)`,
    webauthn_replace: `UPDATE ${of("webauthn")} SET credential = :credential ${mine} AND credential = :old`,
    webauthn_remove: `DELETE FROM ${of("webauthn")} ${mine} AND credential = :credential`,
    webauthn_find: `SELECT account, credential FROM ${of("webauthn")} WHERE credential LIKE :pattern`,
    app_password_read: `SELECT id, digest, label, protocols, created_at, last_used_at FROM ${of("app_passwords")} ${mine} ORDER BY created_at, id`,
    app_password_add: `INSERT INTO ${of("app_passwords")} (account, id, digest, label, protocols, created_at) VALUES (:account, :id, :digest, :label, :protocols, :created_at)`,
    app_password_remove: `DELETE FROM ${of("app_passwords")} ${mine} AND id = :id`,
    app_password_touch: `UPDATE ${of("app_passwords")} SET last_used_at = :at ${mine} AND id = :id`,
  };
}
