import { isMapping } from "../json/index.ts";
import { isSecretName } from "./secret-names.ts";
import { type Config, Root } from "./sections/root.ts";
import type { SchemaNode } from "./tree/node.ts";

export const redacted = "***REDACTED***";

/** A redacted configuration. It is plain data and not a `Config`, so that no code can use masked values by mistake. */
export type RedactedConfig = Readonly<Record<string, unknown>>;

/** Masks every set secret, and credentials inside URLs. An empty secret stays visible as empty: it is not set. */
export function redactConfig(config: Config): RedactedConfig {
  const masked = redactNode(Root, config);
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

/** Takes the place of a secret that was not read; long enough for every length rule. */
export const unreadSecret = "unread-secret-".repeat(5);

function unread(node: SchemaNode | undefined, value: unknown): unknown {
  if (node?.kind === "leaf" && node.secret) return value === "" ? "" : unreadSecret;
  if (Array.isArray(value)) return value.map((item) => unread(node?.kind === "list" ? node.entry : undefined, item));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unread(childOf(node, name), item)]));
}

/** The configuration as it is loaded where secrets are not read, so that two of them differ in no value of a secret. */
export function withUnreadSecrets(config: Config): Config {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts have changed
  return unread(Root, config) as Config;
}

/** Masks `user:password@` of every URL in a text, and secrets in its query. */
export function redactText(text: string): string {
  return text
    .replaceAll(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)\S*@/g, `$1${redacted}@`)
    .replaceAll(/([?&;]([^=&;?\s]{1,64})=)[^&;\s]*/g, (found: string, begin: string, name: string) =>
      isSecretName(name) ? `${begin}${redacted}` : found,
    );
}
