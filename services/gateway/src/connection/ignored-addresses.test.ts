import { expect, test } from "vitest";
import { createReportIgnoredAddress, type IgnoredAddress } from "./addresses.ts";

const unreadable: IgnoredAddress = { session: "s-1", dialect: "json", reason: "unreadable", value: "unknown" };

function start() {
  const lines: object[] = [];
  const counted: string[] = [];
  let nowMs = 0;
  const report = createReportIgnoredAddress(
    { warn: (fields: object) => void lines.push(fields) },
    { now: () => nowMs },
    (dialect, reason) => void counted.push(`${dialect} ${reason}`),
  );
  return { report, lines, counted, pass: (ms: number) => void (nowMs += ms) };
}

test("every ignored address is counted; the first in ten seconds is logged, with the number of the others", () => {
  const { report, lines, counted, pass } = start();
  for (let index = 0; index < 3; index += 1) report(unreadable);
  expect(counted).toHaveLength(3);
  expect(lines).toEqual([{ session: "s-1", dialect: "json", reason: "unreadable", value: "unknown" }]);
  pass(10_000);
  report({ ...unreadable, session: "s-2" });
  expect(lines[1]).toMatchObject({ session: "s-2", unlogged: 2 });
});

test("warnings of one dialect or reason do not suppress those of another", () => {
  const { report, lines } = start();
  report(unreadable);
  report({ ...unreadable, dialect: "grpc" });
  report({ ...unreadable, reason: "untrusted" });
  expect(lines).toHaveLength(3);
});

test("the value is truncated and escaped", () => {
  const { report, lines } = start();
  report({ ...unreadable, value: `\u001b[2Jx\n${"9".repeat(10_000)}` });
  expect(lines).toEqual([expect.objectContaining({ value: `\\u{1b}[2Jx\\u{a}${"9".repeat(58)}…` })]);
});
