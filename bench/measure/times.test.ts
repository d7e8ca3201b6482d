import { describe, expect, it } from "vitest";
import { timeEach, timesOf } from "./times.ts";

describe("timesOf", () => {
  it("of a hundred the fiftieth and the ninety-ninth, in any order", () => {
    const measured = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(timesOf("any", measured)).toEqual({ title: "any", samples: 100, p50Ms: 50, p99Ms: 99 });
  });

  it("one slow answer of fifty is in the p99", () => {
    const measured = Array.from({ length: 50 }, (_, index) => (index === 7 ? 80 : 2));
    expect(timesOf("any", measured)).toMatchObject({ p50Ms: 2, p99Ms: 80 });
  });
});

describe("timeEach", () => {
  it("the first tenth is run, and not counted", async () => {
    const ran: number[] = [];
    const { samples } = await timeEach("any", 20, async (nth) => void ran.push(nth));
    expect([samples, ran.length, ran.at(-1)]).toEqual([20, 22, 21]);
  });
});
