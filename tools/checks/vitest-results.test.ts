import { expect, test } from "vitest";
import { countTests } from "./vitest-results.ts";

function report(...files: readonly { status: string; tests: readonly string[] }[]): string {
  return JSON.stringify({
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((one) => ({ status: one })),
    })),
  });
}

test("counts passed and failed tests", () => {
  const text = report({ status: "failed", tests: ["passed", "failed"] }, { status: "passed", tests: ["passed"] });
  expect(countTests(text, 1)).toEqual({ passed: 2, failed: 1 });
});

test("counts a file that could not be loaded as one failure", () => {
  const text = report({ status: "failed", tests: [] }, { status: "passed", tests: ["passed"] });
  expect(countTests(text, 1)).toEqual({ passed: 1, failed: 1 });
});

test("counts a skipped test as a failure", () => {
  expect(countTests(report({ status: "passed", tests: ["passed", "skipped"] }), 0)).toEqual({ passed: 1, failed: 1 });
});

test("counts a failed run without a failed test as a failure", () => {
  expect(countTests(report({ status: "passed", tests: ["passed"] }), 1)).toEqual({ passed: 1, failed: 1 });
});

test.each([
  ["no report", undefined],
  ["a truncated report", '{"testResults": [{'],
  ["a report in another format", '{"testResults": [1]}'],
  ["a report without tests", '{"testResults": []}'],
])("counts %s as a failure, whatever the exit code", (_, text) => {
  expect(countTests(text, 0)).toEqual({ passed: 0, failed: 1 });
});
