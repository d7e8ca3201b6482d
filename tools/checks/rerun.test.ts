import { expect, test } from "vitest";
import { filesToRerun, withRerun } from "./rerun.ts";
import { countTests } from "./vitest-results.ts";

function report(...files: readonly (readonly [name: string, ...tests: readonly string[]])[]): string {
  return JSON.stringify({
    testResults: files.map(([name, ...tests]) => ({
      name,
      status: tests.length > 0 && tests.every((status) => status === "passed") ? "passed" : "failed",
      assertionResults: tests.map((status) => ({ status })),
    })),
  });
}

const mixed = report(["/a.test.ts", "passed"], ["/b.test.ts", "passed", "failed"], ["/c.test.ts"]);

test("reruns the files with a failed test and those that could not be loaded", () => {
  expect(filesToRerun(mixed)).toEqual(["/b.test.ts", "/c.test.ts"]);
});

test("reruns nothing when more than three files failed", () => {
  const names = ["/a.test.ts", "/b.test.ts", "/c.test.ts", "/d.test.ts"];
  expect(filesToRerun(report(...names.map((name) => [name, "failed"] as const)))).toEqual([]);
  expect(filesToRerun(report(...names.slice(1).map((name) => [name, "failed"] as const)))).toHaveLength(3);
});

test.each([
  ["no report", undefined],
  ["a truncated report", '{"testResults": [{'],
  ["another format", '{"testResults": [1]}'],
])("reruns nothing for %s", (_, text) => {
  expect(filesToRerun(text)).toEqual([]);
});

test("counts the second result of a file that ran twice, and the first of all others", () => {
  const again = report(["/b.test.ts", "passed", "passed"], ["/c.test.ts", "passed", "failed"]);
  expect(countTests(withRerun(mixed, again), 1)).toEqual({ passed: 4, failed: 1 });
});

test("keeps the failures when the second run left no report", () => {
  expect(countTests(withRerun(mixed, undefined), 1)).toEqual({ passed: 2, failed: 2 });
});

test("keeps the failure of a file that the second run left out", () => {
  expect(countTests(withRerun(mixed, report(["/b.test.ts", "passed", "passed"])), 0)).toEqual({ passed: 3, failed: 1 });
});
