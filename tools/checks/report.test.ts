import { expect, test } from "vitest";
import {
  countRootTests,
  countTests,
  type FileResult,
  failedFiles,
  failedTests,
  parseReport,
  slowestTests,
  withRerun,
} from "./report.ts";

function file(name: string, ...statuses: readonly string[]): FileResult {
  const isPassed = statuses.length > 0 && statuses.every((status) => status === "passed");
  return {
    name,
    status: isPassed ? "passed" : "failed",
    assertionResults: statuses.map((status) => ({ status })),
  };
}

const mixed = [file("/a.test.ts", "passed"), file("/b.test.ts", "passed", "failed"), file("/c.test.ts")];

test("counts passed and failed tests, and a file that could not be loaded as one failure", () => {
  expect(countTests(mixed, 1)).toEqual({ passed: 2, failed: 2 });
});

test("counts a skipped test as a failure", () => {
  expect(countTests([file("/a.test.ts", "passed", "skipped")], 0)).toEqual({ passed: 1, failed: 1 });
});

test.each([
  ["a failure for root", 0, 1],
  ["nothing for other users", 1000, 0],
])("counts a skipped test that needs root as %s", (_, userId, failed) => {
  const tests = [{ status: "passed" }, { status: "skipped", fullName: "Postfix, as root accepts mail" }];
  const files = [{ name: "/a.test.ts", status: "passed", assertionResults: tests }];
  expect(countTests(files, 0, userId)).toEqual({ passed: 1, failed });
  expect(countRootTests(files)).toBe(1);
});

test("counts a failed run without a failed test as a failure", () => {
  expect(countTests([file("/a.test.ts", "passed")], 1)).toEqual({ passed: 1, failed: 1 });
});

test.each([
  ["a truncated report", '{"testResults": [{'],
  ["a report in another format", '{"testResults": [1, {"assertionResults": 1}]}'],
  ["a report without tests", '{"testResults": []}'],
  ["an empty report", ""],
])("counts %s as a failure, whatever the exit code", (_, text) => {
  expect(countTests(parseReport(text), 0)).toEqual({ passed: 0, failed: 1 });
});

test("runs those files again that have a failed test or could not be loaded", () => {
  expect(failedFiles(mixed)).toEqual(["/b.test.ts", "/c.test.ts"]);
});

test("counts the second result of a file that ran twice, and the first of all others", () => {
  const again = [file("/b.test.ts", "passed", "passed"), file("/c.test.ts", "passed", "failed")];
  expect(countTests(withRerun(mixed, again), 1)).toEqual({ passed: 4, failed: 1 });
});

test("keeps the failure of a file that the second run left out", () => {
  expect(countTests(withRerun(mixed, [file("/b.test.ts", "passed", "passed")]), 0)).toEqual({ passed: 3, failed: 1 });
});

test("the slowest tests come first, up to the requested number", () => {
  const tests = [
    { status: "passed", title: "a", duration: 1240 },
    { status: "failed", title: "not run" },
    { status: "passed", title: "b", duration: 20_000 },
  ];
  const files = [{ name: "test/one.test.ts", status: "failed", assertionResults: tests }];
  expect(slowestTests(files, 2)).toEqual(["20.0 s test/one.test.ts: b", "1.2 s test/one.test.ts: a"]);
  expect(slowestTests(files, 10)).toHaveLength(2);
});

test("a failed test is named with its file, the assertion, and a command that a shell runs", () => {
  const message = "AssertionError: expected \u001B[31m1\u001B[39m to be 2\n\n    at /project/test/one.test.ts:3:1";
  const failed = { status: "failed", fullName: "a user's (first) login is 200", failureMessages: [message] };
  const files = [
    { name: "test/one.test.ts", status: "failed", assertionResults: [failed, { status: "passed" }] },
    {
      name: "test/two.test.ts",
      status: "failed",
      message: "Error: no port",
      assertionResults: [{ status: "skipped" }],
    },
    file("test/three.test.ts", "passed"),
  ];
  expect(failedTests(files, "integration")).toEqual([
    [
      "FAILED test/one.test.ts: a user's (first) login is 200",
      "    AssertionError: expected 1 to be 2",
      String.raw`    npx vitest run --project integration 'test/one.test.ts' -t '^a user'\''s \(first\) login is 200$'`,
    ].join("\n"),
    "FAILED test/two.test.ts\n    Error: no port\n    npx vitest run --project integration 'test/two.test.ts'",
  ]);
});
