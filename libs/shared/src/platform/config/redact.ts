import type { Config } from "./schema/root.ts";
import { schemaTree } from "./tree/from-schema.ts";
import type { SchemaNode } from "./tree/node.ts";
import { isMapping } from "./tree/walk.ts";

export const redacted = "***REDACTED***";

/** A redacted configuration. It is plain data and not a `Config`, so that no code can use masked values by mistake. */
export type RedactedConfig = Readonly<Record<string, unknown>>;

/** Masks every set secret, and credentials inside URLs. An empty secret stays visible as empty: it is not set. */
export function redactConfig(config: Config): RedactedConfig {
  const masked = redactNode(schemaTree(), config);
  return isMapping(masked) ? masked : {};
}

/** `node` is undefined below keys that the schema does not have; secrets are then recognised by key name. */
export function redactNode(node: SchemaNode | undefined, value: unknown): unknown {
  if (node?.kind === "leaf" && node.secret) return value === "" ? "" : redacted;
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) {
    const entry = node?.kind === "list" ? node.entry : undefined;
    return value.map((item) => redactNode(entry, item));
  }
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactChild(node, name, item)]));
}

function redactChild(node: SchemaNode | undefined, name: string, value: unknown): unknown {
  const child = childOf(node, name);
  return child === undefined && isSecretName(name) ? redacted : redactNode(child, value);
}

function childOf(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  if (node?.kind === "section") return node.children.get(name);
  return node?.kind === "map" ? node.entry : undefined;
}

const secretNames = new Set([
  "api_key",
  "bind_pw",
  "connection_string",
  "data_source_name",
  "dsn",
  "key_pem",
  "passphrase",
  "password",
  "password_encoded",
  "password_nonce",
  "pin",
  "private_key",
  "secret",
  "secret_key",
  "signing_key",
  "signing_keys",
  "static_token",
  "token",
]);

/** Whether a key name denotes a secret, in any tree. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll("-", "_");
  return secretNames.has(plain) || /_(?:secret|password|passwd|token|private_key|signing_keys?|pw)$/.test(plain);
}

/** Masks `user:password@` of every URL in a text, and secrets in its query. */
export function redactText(text: string): string {
  return text
    .replaceAll(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)\S*@/g, `$1${redacted}@`)
    .replaceAll(/([?&;]([^=&;?\s]{1,64})=)[^&;\s]*/g, (found: string, begin: string, name: string) =>
      isSecretName(name) ? `${begin}${redacted}` : found,
    );
}
