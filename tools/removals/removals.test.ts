import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exceptions } from "../../test/removals/exceptions.ts";
import { removals } from "../../test/removals/removals.ts";
import { judge, withoutMechanism } from "./check-removal.ts";
import { promised } from "./guarantees.ts";
import type { Removal, RemovalResult } from "./removal.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const matching = (part: string) => promised.filter(({ row }) => row.includes(part));
const removedIn = (row: string): boolean => removals.some((removal) => removal.rows.some((part) => row.includes(part)));

const results: Readonly<Record<string, RemovalResult>> = JSON.parse(read("test/removals/results.json"));

describe("removals", () => {
  test("have failed tests, as far as they have been run", () => {
    const survived = Object.entries(results).filter(([, { outcome }]) => outcome !== "failed");
    expect(survived.map(([name]) => name)).toEqual([]);
    const names = new Set(removals.map(({ name }) => name));
    expect(Object.keys(results).filter((name) => !names.has(name))).toEqual([]);
  });

  test("have unique names", () => {
    expect(new Set(removals.map(({ name }) => name)).size).toBe(removals.length);
  });

  test.each(removals.map((removal) => [removal.name, removal] as const))("%s can be carried out", (_name, removal) => {
    const source = read(removal.file);
    expect(withoutMechanism(source, removal)).not.toBe(source);
    expect(removal.tests.filter((path) => !path.endsWith(".test.ts") || !existsSync(join(root, path)))).toEqual([]);
    for (const part of removal.rows) {
      const found = matching(part);
      expect([part, found.length]).toEqual([part, 1]);
      expect(found[0]?.tests.some((path) => removal.tests.includes(path))).toBe(true);
    }
  });
});

describe("guarantees", () => {
  test("have a removal, or a reason why there is none", () => {
    const missing = promised.filter(({ row }) => !removedIn(row) && !exceptions.some((one) => row.includes(one.row)));
    expect(missing.map(({ row }) => row)).toEqual([]);
  });

  test("with such a reason have no removal", () => {
    for (const { row: part } of exceptions) {
      expect([part, matching(part).map(({ row }) => removedIn(row))]).toEqual([part, [false]]);
    }
  });
});

function report(...statuses: readonly string[]): string {
  const assertionResults = statuses.map((status) => ({ status, failureMessages: ["Error: first\nsecond"] }));
  return JSON.stringify({ testResults: [{ assertionResults }] });
}

describe("a run", () => {
  test.each([
    ["one failed test", report("passed", "failed"), "failed"],
    ["only passed tests", report("passed", "skipped"), "survived"],
    ["no test that ran", report("skipped"), "broken"],
    ["no report", undefined, "broken"],
  ])("with %s", (_name, text, outcome) => {
    expect(judge(text, true).outcome).toBe(outcome);
  });

  test("that does not end has failed", () => {
    expect(judge(undefined, false).outcome).toBe("failed");
  });

  test("states the first line of the first failure", () => {
    expect(judge(report("failed"), true)).toEqual({ outcome: "failed", failedTests: 1, how: "Error: first" });
  });
});

test("a text that occurs twice or never is refused", () => {
  const removal: Removal = {
    name: "x",
    mechanism: "",
    file: "",
    find: "a",
    replace: "",
    tests: [],
    rows: [],
  };
  expect(withoutMechanism("bac", removal)).toBe("bc");
  expect(() => withoutMechanism("aa", removal)).toThrow("2 times");
  expect(() => withoutMechanism("b", removal)).toThrow("0 times");
});
