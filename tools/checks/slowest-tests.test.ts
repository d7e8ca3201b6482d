import { expect, test } from "vitest";
import { slowestTests } from "./slowest-tests.ts";

const report = JSON.stringify({
  testResults: [
    {
      name: "/project/test/one.test.ts",
      assertionResults: [
        { title: "a", duration: 1240 },
        { title: "not run", status: "failed" },
      ],
    },
    {
      name: "/project/test/two.test.ts",
      assertionResults: [
        { title: "b", duration: 20_000 },
        { title: "c", duration: 3 },
      ],
    },
  ],
});

test("the slowest tests come first, up to the requested number", () => {
  expect(slowestTests(report, 2)).toEqual(["20.0 s two.test.ts: b", "1.2 s one.test.ts: a"]);
  expect(slowestTests(report, 10)).toHaveLength(3);
});

test.each(["", "{", "{}", '{"testResults": [1, {"assertionResults": 1}]}'])(
  "the report %j contains no tests",
  (text) => {
    expect(slowestTests(text, 10)).toEqual([]);
  },
);
