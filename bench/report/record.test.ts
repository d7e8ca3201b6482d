import { describe, expect, it } from "vitest";
import { merge, type RecordedTarget } from "./record.ts";

function target(title: string, measured: string, more: Partial<RecordedTarget> = {}): RecordedTarget {
  return { title, target: "≤ 1", measured, met: true, date: "2026-01-01", otherCores: 0, ...more };
}

const before = [target("a", "1"), target("b", "1"), target("hour", "1", { isLong: true })];
const shown = (targets: readonly RecordedTarget[]) => targets.map(({ title, measured }) => `${title}=${measured}`);

describe("merge", () => {
  it("a run of some scenarios replaces what it measured, and keeps the rest", () => {
    const after = [target("a", "not measured", { met: undefined }), target("b", "2", { met: false }), target("c", "2")];
    expect(shown(merge(before, after, { isLong: false, isPart: true }))).toEqual(["a=1", "b=2", "hour=1", "c=2"]);
  });

  it("a whole run removes targets that no longer exist, but none of those that it does not measure", () => {
    const after = [target("b", "2")];
    expect(shown(merge(before, after, { isLong: false, isPart: false }))).toEqual(["b=2", "hour=1"]);
    expect(shown(merge(before, after, { isLong: true, isPart: false }))).toEqual(["b=2"]);
  });
});
