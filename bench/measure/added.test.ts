import { describe, expect, it } from "vitest";
import { addedTo, type Window } from "./added.ts";

function windowsOf(id: string, totals: readonly number[]): readonly Window<string>[] {
  return totals.map((total) => ({
    id,
    requestsPerSecond: 1e6 / total,
    p50Ms: total,
    p99Ms: 2 * total,
    cpuMicros: { total, engine: total / 2 },
  }));
}

describe("addedTo", () => {
  it("a machine that slows down from round to round adds nothing", () => {
    const slower = windowsOf("lookup-open", [100, 150, 200]);
    expect(addedTo(slower, windowsOf("lookup-basic", [105, 155, 205]))).toMatchObject({
      to: "lookup-open",
      micros: { median: 5, lowest: 5, highest: 5 },
      engineMicros: { median: 2.5, lowest: 2.5, highest: 2.5 },
    });
  });

  it("one disturbed window changes little", () => {
    const calm = windowsOf("lookup-open", [100, 100, 100, 100, 100]);
    const disturbed = windowsOf("lookup-basic", [103, 104, 300, 105, 106]);
    expect(addedTo(calm, disturbed)).toMatchObject({
      to: "lookup-open",
      micros: { median: 5, lowest: 3, highest: 200 },
    });
  });

  it("a machine that slows down from round to round makes no row more expensive than another", () => {
    const slower = windowsOf("skeleton", [40, 50, 80]);
    expect(addedTo(slower, windowsOf("cached", [80, 100, 160]))).toMatchObject({
      times: { median: 2, lowest: 2, highest: 2 },
      rate: { median: 0.5 },
      p50: { median: 2 },
      p99: { median: 2 },
    });
  });

  it("the median of an even number of rounds is between the two in the middle", () => {
    const calm = windowsOf("skeleton", [100, 100, 100, 100]);
    expect(addedTo(calm, windowsOf("cached", [140, 110, 130, 120])).micros.median).toBe(25);
  });

  it("rows of different rounds are not compared", () => {
    expect(() => addedTo(windowsOf("lookup-open", [1]), windowsOf("lookup-basic", [1, 2]))).toThrow("different rounds");
  });
});
