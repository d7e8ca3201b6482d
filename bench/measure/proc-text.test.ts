import { describe, expect, it } from "vitest";
import { parseBusySeconds, parseEndedChildrenSeconds, parseResidentMib, parseSchedstat } from "./proc-text.ts";

describe("values of /proc", () => {
  it("schedstat: the first field is CPU time", () => {
    expect(parseSchedstat("632247 54225 2\n")).toBe(632_247);
  });

  it.each(["", "0", "1 2", "a b c", "-1 2 3"])("schedstat: %j is rejected, never read as 0", (text) => {
    expect(() => parseSchedstat(text)).toThrow("not a schedstat");
  });

  it("status: resident memory in MiB", () => {
    expect(parseResidentMib("Name:\tnode\nVmPeak:\t  999999 kB\nVmRSS:\t  102400 kB\nThreads:\t11\n")).toBe(100);
  });

  it("status of a process that has ended has no memory and is rejected", () => {
    expect(() => parseResidentMib("Name:\tnode\nState:\tZ (zombie)\n")).toThrow("no VmRSS");
  });

  it("stat: idle and I/O wait do not count as busy", () => {
    expect(parseBusySeconds("cpu  100 20 300 99999 88888 7 3 0 0 0\ncpu0 1 2 3 4 5 6 7 0 0 0\n")).toBeCloseTo(4.3);
  });

  it("process stat: times of ended children, for any command name", () => {
    const text = "5322 (a) b (c) S 1 2 3 4 -1 5 6 7 8 9 11 12 250 50 20 0 1 0 316130 3133440 410";
    expect(parseEndedChildrenSeconds(text)).toBe(3);
  });
});
