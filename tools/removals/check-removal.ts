import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../checks/execute.ts";
import type { Removal, RemovalResult } from "./removal.ts";

/** A test that hangs without the mechanism has failed. */
const timeoutMs = 15 * 60_000;

function projectOf(test: string): "unit" | "integration" | "slow" | "long" {
  if (test.startsWith("test/long/")) return "long";
  if (test.endsWith(".slow.test.ts")) return "slow";
  return test.startsWith("test/") ? "integration" : "unit";
}

interface Assertion {
  readonly status: string;
  readonly failureMessages: readonly string[];
}

function isAssertion(value: unknown): value is Assertion {
  return typeof value === "object" && value !== null && "status" in value && "failureMessages" in value;
}

/** All tests in a report of vitest's JSON reporter; none if it cannot be read. */
function assertionsIn(report: string): readonly Assertion[] {
  const parsed: unknown = JSON.parse(report);
  if (typeof parsed !== "object" || parsed === null || !("testResults" in parsed)) return [];
  const files: readonly unknown[] = Array.isArray(parsed.testResults) ? parsed.testResults : [];
  return files.flatMap((file) => {
    if (typeof file !== "object" || file === null || !("assertionResults" in file)) return [];
    const results: readonly unknown[] = Array.isArray(file.assertionResults) ? file.assertionResults : [];
    return results.filter(isAssertion);
  });
}

const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "gu");

function firstLine(text: string): string {
  const line = text.replaceAll(escapes, "").split("\n", 1)[0] ?? "";
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

/**
 * `failed`: at least one test ran and failed. `broken`: no test ran to its end, so the run says nothing, for example because the edited
 * source cannot be bundled.
 */
export function judge(report: string | undefined, hasEnded: boolean): Omit<RemovalResult, "date"> {
  if (!hasEnded) return { outcome: "failed", failedTests: 1, how: "the tests did not end" };
  const assertions = report === undefined ? [] : assertionsIn(report);
  const failed = assertions.filter(({ status }) => status === "failed");
  const [first] = failed;
  if (first !== undefined) {
    return { outcome: "failed", failedTests: failed.length, how: firstLine(first.failureMessages[0] ?? "") };
  }
  const hasRun = assertions.some(({ status }) => status === "passed");
  return { outcome: hasRun ? "survived" : "broken", failedTests: 0, how: hasRun ? "" : "no test ran" };
}

/** Runs the removal's tests in the copy as it is. With the mechanism, they should `survive`. */
export async function runTests(copy: string, { tests, pattern }: Removal): Promise<Omit<RemovalResult, "date">> {
  const report = join(copy, ".run/removal.json");
  rmSync(report, { force: true });
  const projects = [...new Set(tests.map(projectOf))].flatMap((name) => ["--project", name]);
  const names = pattern === undefined ? [] : ["-t", pattern];
  const reporters = ["--reporter=json", `--outputFile.json=${report}`];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--root", copy, "--no-color", ...projects, ...reporters];
  const command = `cd '${copy}' && exec node_modules/.bin/node "$@"`;
  const { output } = await execute("sh", ["-c", command, "sh", ...args, ...names, ...tests], timeoutMs);
  const hasEnded = !output.endsWith(`not finished within ${timeoutMs / 1000} s\n`);
  return judge(existsSync(report) ? readFileSync(report, "utf8") : undefined, hasEnded);
}

/** @throws Error when the text does not occur exactly once */
export function withoutMechanism(source: string, { name, find, replace }: Removal): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`${name}: the text occurs ${parts.length - 1} times, not once`);
  return parts.join(replace);
}

/** Takes the mechanism out, runs the tests, and puts it back. */
export async function runWithout(copy: string, removal: Removal): Promise<Omit<RemovalResult, "date">> {
  const path = join(copy, removal.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, withoutMechanism(source, removal));
  try {
    return await runTests(copy, removal);
  } finally {
    writeFileSync(path, source);
  }
}
