import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Root } from "./sections/root.ts";
import type { SchemaNode } from "./tree/node.ts";

const root = join(import.meta.dirname, "../../../../..");

/** Keys whose entire effect is in the configuration code. */
const readByLoader: ReadonlySet<string> = new Set([
  // Defaults of other keys.
  "redis_read",
  "redis_write",
  "ldap_search",
  "ldap_bind",
  "ldap_modify",
  "sql_query",
  // Other values are rejected: one value, or a list of the supported ones.
  "default_policy",
  "signature_method",
  "response_types_supported",
  "subject_types_supported",
  "token_endpoint_auth_methods_supported",
  "code_challenge_methods_supported",
  // Permits metadata without a certificate.
  "allow_unsigned",
  // Logout of clients.
  "back_channel_session_supported",
  "frontchannel_logout_uri",
  "frontchannel_logout_session_required",
  "front_channel_supported",
  "front_channel_session_supported",
]);

function leafPaths(node: SchemaNode, path: string): readonly string[] {
  if (node.kind === "leaf") return [path];
  if (node.kind !== "section") return leafPaths(node.entry, `${path}.*`);
  return [...node.children].flatMap(([name, child]) => leafPaths(child, path === "" ? name : `${path}.${name}`));
}

/** Code without comments, because a key that only a comment names is not read. */
function codeOf(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  return text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
}

/** Names of members that code reads: `.name`, `{ name }`, or "name" as an index or in a list of names. */
function namesRead(files: readonly string[]): ReadonlySet<string> {
  const names = files.flatMap((file) =>
    [...codeOf(file).matchAll(/(?:\.|[{,(]\s*|["'`])([a-z][a-z0-9_]*)\b/g)].map(([, name = ""]) => name),
  );
  return new Set(names);
}

/** The configuration code defines, validates and shows keys, which is not an effect. */
const shipped = globSync(["services/*/src/**/*.ts", "libs/shared/src/**/*.ts"], { cwd: root }).filter(
  (file) => !/\.test\.ts$|\/testing\/|shared\/src\/(?:config|contracts)\//.test(file),
);

function unread(paths: readonly string[]): readonly string[] {
  const read = namesRead(shipped);
  return paths.filter((path) => {
    const name = path.split(".").findLast((part) => part !== "*") ?? "";
    return !read.has(name) && !readByLoader.has(name);
  });
}

test("every key of the schema is read by a service", () => {
  const paths = leafPaths(Root, "");
  expect(paths.length).toBeGreaterThan(400);
  expect(shipped.length).toBeGreaterThan(400);
  expect(unread(paths)).toEqual([]);
});

test("a planted key that no service reads is found", () => {
  expect(unread(["runtime.never_read_by_anybody", "runtime.timeouts.decision"])).toEqual([
    "runtime.never_read_by_anybody",
  ]);
});
