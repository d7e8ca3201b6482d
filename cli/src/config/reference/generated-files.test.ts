import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatProblem, loadConfig, schemaTree } from "@postern/shared/platform/config";
import type { SchemaNode } from "@postern/shared/platform/config/tree";
import { Check } from "typebox/schema";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { generatedConfigFiles } from "./generated-files.ts";
import { configJsonSchema } from "./json-schema.ts";

const root = join(import.meta.dirname, "../../../..");
const readFile = (path: string) => readFileSync(join(root, path), "utf8");

describe("generated files are up to date (node tools/generate-config-docs.ts)", () => {
  test.each([...generatedConfigFiles()])("%s", (path, text) => {
    expect(readFile(path)).toBe(text);
  });
});

function load(file: string, env: Readonly<Record<string, string>> = {}) {
  const result = loadConfig({ file, env, readFile });
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join("\n"));
  return result.config;
}

test.each(["demo", "minimal", "ldap-example", "example"])(
  "the JSON Schema for editors accepts config/%s.yaml",
  (name) => {
    const tree: unknown = parse(readFile(`config/${name}.yaml`));
    expect(Check(configJsonSchema(), tree)).toBe(true);
  },
);

test.each(["runtime: { instanc_name: x }", "auth: { pipeline: { wait_delay: soon } }", "root: {}"])(
  "the JSON Schema for editors rejects %s",
  (text) => {
    expect(Check(configJsonSchema(), parse(text))).toBe(false);
  },
);

test("the example is equivalent to an empty file", () => {
  const empty = loadConfig({ text: "", env: {}, readFile });
  expect(empty.ok ? load("config/example.yaml") : undefined).toEqual(empty.ok ? empty.config : undefined);
  expect(empty.ok).toBe(true);
});

test("the demo loads", () => {
  const { auth, runtime, storage } = load("config/demo.yaml");
  expect(runtime.servers.http.address).toEqual(["127.0.0.1:8080", "[::1]:8080"]);
  expect(storage.redis.roles.state.url).toBe("redis://127.0.0.1:16379/0");
  expect(auth.backends.sql.search).toHaveLength(1);
});

test("the other examples load with their variables", () => {
  const secret = "0123456789012345678901234567890123456789";
  const env = {
    POSTERN_CALLER_ASSERTION_SECRET: secret,
    POSTERN_PASSWORD_NONCE: secret,
    POSTERN_MAIL1_PASSWORD: secret,
    POSTERN_OPERATOR_PASSWORD: secret,
    POSTERN_LDAP_PASSWORD: secret,
    POSTERN_LDAP_URI: "ldap://127.0.0.1:10389",
    POSTERN_LDAP_BIND_DN: "cn=admin",
    POSTERN_LDAP_BIND_PW: secret,
    POSTERN_LDAP_BASE_DN: "dc=example,dc=test",
  };
  expect(load("config/minimal.yaml", env).auth.backends.order).toEqual(["ldap"]);
  expect(load("config/ldap-example.yaml", env).auth.backends.ldap.default.server_uri).toEqual([
    "ldap://127.0.0.1:10389",
  ]);
});

function descriptions(node: SchemaNode): readonly string[] {
  if (node.kind === "leaf") return [node.description];
  const children = node.kind === "section" ? [...node.children.values()] : [node.entry];
  return [node.description, ...children.flatMap(descriptions)];
}

test("every key and section has a description", () => {
  expect(descriptions(schemaTree).filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
});
