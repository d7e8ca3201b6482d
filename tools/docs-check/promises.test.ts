import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/contributing/promises.md"), "utf8");

interface Promised {
  readonly row: string;
  readonly tests: readonly string[];
}

/** The rows of all tables, without their heads, each with the test files that its last column names. */
function promisesOf(text: string): readonly Promised[] {
  const rows = [...text.matchAll(/^\|(.+)\|$/gmu)].map(([, cells = ""]) => cells.split("|").map((cell) => cell.trim()));
  const bodies = rows.filter((cells) => cells.at(-1) !== "Test" && !cells.every((cell) => /^-+$/u.test(cell)));
  return bodies.map((cells) => ({
    row: cells.slice(0, -1).join(": "),
    tests: [...(cells.at(-1) ?? "").matchAll(/`([^`]+)`/gu)].map(([, path = ""]) => path),
  }));
}

/** A file proves nothing if it has no test, or one that is skipped or left for later. */
function isProof(source: string): boolean {
  return (
    /^\s*(test|it)(\.each)?\(/mu.test(source) &&
    !/\b(test|it|describe)\.(todo|skip|skipIf|runIf|fails|only)\b/u.test(source)
  );
}

function proves(path: string): boolean {
  return path.endsWith(".test.ts") && existsSync(join(root, path)) && isProof(readFileSync(join(root, path), "utf8"));
}

function unproven(text: string): readonly string[] {
  return promisesOf(text)
    .filter(({ tests }) => tests.length === 0 || !tests.every(proves))
    .map(({ row }) => row);
}

/** Tests that stop, freeze or starve a server exist to prove a promise. */
function unnamed(text: string, files: readonly string[]): readonly string[] {
  const named = new Set(promisesOf(text).flatMap(({ tests }) => tests));
  return files.filter((file) => !named.has(file));
}

describe("docs/contributing/promises.md", () => {
  test("has rows", () => {
    expect(promisesOf(page).length).toBeGreaterThan(70);
  });

  test("names a test for every promise, which exists and is not skipped", () => {
    expect(unproven(page)).toEqual([]);
  });

  test("records removal checks only of tests that prove a promise", () => {
    const [promises = "", checks = ""] = page.split("\n## The tests can fail\n");
    const checked = promisesOf(checks).flatMap(({ tests }) => tests);
    expect(checked.length).toBeGreaterThan(5);
    expect(unnamed(promises, checked)).toEqual([]);
  });

  test("names every test of an outage", () => {
    const files = globSync(["test/long/outages/*.test.ts", "test/integration/engines/*.test.ts"], { cwd: root });
    expect(files.length).toBeGreaterThan(10);
    expect(unnamed(page, files)).toEqual([]);
  });
});

const real = "test/integration/engines/no-engine.test.ts";

test.each([
  ["without a test", "| a | b | not tested |"],
  ["with a test that does not exist", "| a | b | `test/integration/engines/gone.test.ts` |"],
  ["with a file that is no test", "| a | b | `test/support/stack.ts` |"],
  ["of which one of two tests does not exist", `| a | b | \`${real}\`, \`test/gone.test.ts\` |`],
])("a row %s is unproven", (_, row) => {
  const head = "| Event | Guarantee | Test |\n|---|---|---|\n";
  expect(unproven(`${head}| c | d | \`${real}\` |\n${row}\n`)).toEqual(["a: b"]);
});

test.each(["test.skip(", "test.todo(", "describe.skip(", "it.only(", "test.skipIf(slow)("])(
  "%s is no proof",
  (start) => {
    expect(isProof(`test("a", () => {});\n${start}"b", () => {});\n`)).toBe(false);
  },
);

test("a file without a test is no proof, and a test that no row names is found", () => {
  expect(isProof("export const a = 1;\n")).toBe(false);
  expect(unnamed(page, [real, "test/long/outages/new.test.ts"])).toEqual(["test/long/outages/new.test.ts"]);
});
