import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

interface TestResult {
  readonly status: string;
  readonly title?: string;
  /** The title with those of the groups around it. */
  readonly fullName?: string;
  readonly duration?: number;
  readonly failureMessages?: readonly string[];
}

/** A test file in a report of vitest's JSON reporter. */
export interface FileResult {
  readonly name: string;
  readonly status: string;
  /** Why the file could not be loaded, or a hook failed. */
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Tests that start a server as root are skipped for other users, and say so in their titles. */
const needsRoot = ({ status, fullName = "" }: TestResult): boolean =>
  status === "skipped" && fullName.includes("as root");

/** The number of tests that this user cannot run. */
export function countRootTests(files: readonly FileResult[]): number {
  return files.flatMap(({ assertionResults }) => assertionResults.filter(needsRoot)).length;
}

function isFileResult(value: unknown): value is FileResult {
  if (typeof value !== "object" || value === null) return false;
  return "name" in value && "status" in value && "assertionResults" in value && Array.isArray(value.assertionResults);
}

export function parseReport(text: string): readonly FileResult[] {
  try {
    const files: unknown = Object(JSON.parse(text)).testResults;
    return Array.isArray(files) && files.every(isFileResult) ? files : [];
  } catch {
    return [];
  }
}

/** The files of a report; none if it was not written, is truncated or has another format. */
export function readReport(path: string): readonly FileResult[] {
  try {
    return parseReport(readFileSync(path, "utf8"));
  } catch {
    return [];
  }
}

/**
 * A file that could not be loaded counts as one failure, and so does a skipped test, unless it needs root and the user has another id; a run
 * that failed, left no report or ran nothing has at least one failure.
 */
export function countTests(files: readonly FileResult[], exitCode: number, userId = process.getuid?.()): Counts {
  const results = files.flatMap((file) => file.assertionResults);
  const passed = results.filter(({ status }) => status === "passed").length;
  const unloaded = files.filter(
    (file) => file.status !== "passed" && file.assertionResults.every(({ status }) => status === "passed"),
  ).length;
  const unable = userId === 0 ? 0 : countRootTests(files);
  const failed = results.length - passed - unable + unloaded;
  const hidden = failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : 0;
  return { passed, failed: failed + hidden };
}

export function failedFiles(files: readonly FileResult[]): readonly string[] {
  return files.filter(({ status }) => status !== "passed").map(({ name }) => name);
}

/** The first results, with those of the rerun in place of those of the same files. */
export function withRerun(first: readonly FileResult[], rerun: readonly FileResult[]): readonly FileResult[] {
  const names = new Set(rerun.map(({ name }) => name));
  return [...first.filter(({ name }) => !names.has(name)), ...rerun];
}

/** The slowest tests: "12.3 s file: title". */
export function slowestTests(files: readonly FileResult[], count: number): readonly string[] {
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ title, duration }) =>
      duration === undefined ? [] : [{ duration, text: `${relative(".", name)}: ${title}` }],
    ),
  );
  const slowest = tests.toSorted((one, other) => other.duration - one.duration).slice(0, count);
  return slowest.map(({ duration, text }) => `${(duration / 1000).toFixed(1)} s ${text}`);
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The lines before the stack trace, without colours; at most four. */
function assertionOf(message: string): string {
  const lines = stripVTControlCharacters(message).split("\n");
  const trace = lines.findIndex((line) => /^\s+at /u.test(line));
  const shown = lines.slice(0, trace === -1 ? lines.length : trace).filter((line) => line.trim() !== "");
  return shown
    .slice(0, 4)
    .map((line) => `    ${line}\n`)
    .join("");
}

/** Each failed test with its file, the assertion and the command that runs only this test; a file if it failed outside of its tests. */
export function failedTests(files: readonly FileResult[], project: string): readonly string[] {
  return files.flatMap(({ name, status, message = "", assertionResults }) => {
    const file = relative(".", name);
    const command = `    npx vitest run --project ${project} ${shellQuoted(file)}`;
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0) return status === "passed" ? [] : [`FAILED ${file}\n${assertionOf(message)}${command}`];
    return failed.map(({ fullName = "", failureMessages = [] }) => {
      const pattern = `^${fullName.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)}$`;
      const assertion = assertionOf(failureMessages[0] ?? "");
      return `FAILED ${file}: ${fullName}\n${assertion}${command} -t ${shellQuoted(pattern)}`;
    });
  });
}
