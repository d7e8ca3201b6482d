import type { Config } from "../../platform/config/index.ts";

/** Fields in which the backends store second factors and app passwords. */
export function secretFields({ auth: { backends } }: Pick<Config, "auth">): readonly string[] {
  const ldap = backends.ldap.search.flatMap(({ mapping }) => [
    mapping.totp_secret_field,
    mapping.totp_recovery_field,
    mapping.webauthn_credential_field,
    mapping.app_password_field,
  ]);
  return [...ldap, ...backends.sql.search.map(({ mapping }) => mapping.totp_secret_field)];
}
