import { globSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLock, runtimePackages } from "../../../tools/package/runtime-packages.ts";

const root = join(import.meta.dirname, "../../..");

/** Named in bundles, but not loaded without them. */
const optional: Readonly<Record<string, string>> = {
  "cbor-extract": "JavaScript replaces it",
  "msgpackr-extract": "JavaScript replaces it",
  "@valkey/valkey-glide": "another client of BullMQ",
  ajv: "in code that Fastify could write to a file",
  "ajv-formats": "in code that Fastify could write to a file",
  "reflect-metadata": "in the words of an error",
  moveToFinished: "in a comment of a Redis script",
};

/** Packages that code imports by name. */
function importedPackages(code: string): readonly string[] {
  const names = [
    ...code.matchAll(/(?:\bfrom |\bimport |import\(|require\()"(?!node:)((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"]*)?"/gu),
  ];
  return names.map(([, name = ""]) => name).filter((name) => !builtinModules.includes(name) && !name.startsWith("."));
}

const bundles = globSync("services/*/dist/bundle/**/*.js", { cwd: root });
const imported = new Set(bundles.flatMap((path) => importedPackages(readFileSync(join(root, path), "utf8"))));
const present = runtimePackages(readLock(root), process.arch).map((path) => path.slice("node_modules/".length));
const missingFrom = (packages: readonly string[]): readonly string[] =>
  [...imported].filter((name) => !packages.includes(name) && !(name in optional));

test("images and packages contain every npm package that a bundle imports", () => {
  expect(imported).toContain("@node-rs/bcrypt");
  expect(missingFrom(present)).toEqual([]);
});

test("a package that is left out is found", () => {
  expect(missingFrom(present.filter((name) => name !== "pg"))).toEqual(["pg"]);
});
