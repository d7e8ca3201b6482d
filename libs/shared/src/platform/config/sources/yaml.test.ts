import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadConfig } from "../load.ts";

function load(text: string) {
  return loadConfig({ text, env: {}, readFile: () => "" });
}

function hostile(): readonly (readonly [string, string])[] {
  return [
    ["an endless alias", "runtime: &r { x: *r }"],
    ["an alias around itself", "runtime: &r\n  servers: *r\n"],
    ["a tree of 10000 levels", "[".repeat(10_000)],
    ["a key of 100 levels", `${Array.from({ length: 100 }, (_, level) => `${" ".repeat(level)}a:`).join("\n")} 1`],
    [
      "aliases that double",
      Array.from({ length: 30 }, (_, n) => `x-${n}: &a${n} [${n === 0 ? "1" : `*a${n - 1}, *a${n - 1}`}]`).join("\n"),
    ],
    ["two documents", "runtime: {}\n---\nruntime: {}\n"],
    ["a list", "- runtime"],
    ["a text", "runtime"],
    ["a key that is a list", "? [a, b]\n: c\n"],
    ["a prototype", "__proto__: { runtime: 1 }"],
    ["a prototype below", "runtime: { __proto__: { instance_name: x } }"],
    ["a name of a prototype", "auth: { backends: { ldap: { pools: { constructor: 1, __proto__: {} } } } }"],
    ["two megabytes", `runtime: { instance_name: ${"x".repeat(2_000_000)} }`],
  ];
}

describe("hostile files are problems, not exceptions", () => {
  test.each(hostile())("%s", (_name, text) => {
    const result = load(text);
    expect(result.ok).toBe(false);
  });
});

test("any text results in a configuration or problems", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(load(text)).toHaveProperty("ok");
    }),
  );
});

test("any tree under known keys results in a configuration or problems", () => {
  const name = fc.constantFrom(
    "runtime",
    "servers",
    "http",
    "auth",
    "backends",
    "ldap",
    "search",
    "pools",
    "identity",
    "storage",
    "redis",
    "tls",
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(name, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(name, tree), (root) => {
      expect(load(stringify(root))).toHaveProperty("ok");
    }),
  );
});
