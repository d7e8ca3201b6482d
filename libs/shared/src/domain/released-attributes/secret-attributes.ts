import type { Config } from "../../platform/config/index.ts";

/** Attributes whose last segment is one of these are secret, whatever precedes it. */
const secretSegments = [
  "access_token",
  "api_token",
  "bind_pw",
  "client_private_key",
  "client_secret",
  "connection_string",
  "data_source_name",
  "dsn",
  "encryption_secret",
  "id_token",
  "password",
  "password_encoded",
  "password_nonce",
  "private_key",
  "recovery_codes",
  "refresh_token",
  "static_token",
  "test_password",
  "token",
  "totp_recovery_codes",
  "totp_recovery_field",
  "totp_secret",
  "totp_secret_field",
  "user_password",
];

const secretParts = ["mfa_secret", "recovery_code", "totp_recovery", "totp_secret"];

function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
}

/** Attributes with a secret value are never released. */
export function isSecretAttribute(name: string): boolean {
  const normalised = snakeCase(name);
  return (
    secretSegments.some((segment) => normalised === segment || normalised.endsWith(`_${segment}`)) ||
    secretParts.some((part) => normalised.includes(part))
  );
}

type Attributes = Readonly<Record<string, readonly string[]>>;

export type AttributeFilter = (attributes: Attributes) => Attributes;

/**
 * Filters attributes that may be released: by the name rule, and except the fields in which the site stores TOTP secrets or recovery codes.
 * The result for a name is cached, because names come from the configuration and the backends and are few.
 */
export function createAttributeFilter(configuredSecretFields: readonly string[]): AttributeFilter {
  const verdicts = new Map<string, boolean>(
    configuredSecretFields.filter((name) => name !== "").map((name) => [name, true]),
  );
  const maxNames = 10_000;
  const isSecret = (name: string): boolean => {
    const known = verdicts.get(name);
    if (known !== undefined) return known;
    const verdict = isSecretAttribute(name);
    if (verdicts.size < maxNames) verdicts.set(name, verdict);
    return verdict;
  };
  return (attributes) => {
    // Most accounts have none, and a copy costs more than the check.
    if (!Object.keys(attributes).some(isSecret)) return attributes;
    const released: Record<string, readonly string[]> = {};
    for (const [name, values] of Object.entries(attributes)) {
      if (isSecret(name)) continue;
      // Assigning this name would set the prototype; defining every attribute would cost too much.
      if (name === "__proto__") Object.defineProperty(released, name, { value: values, enumerable: true });
      else released[name] = values;
    }
    return released;
  };
}

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
