import { describe, expect, it } from "vitest";
import { timeEach, timesOf } from "./times.ts";

describe("timesOf", () => {
  it("p50 and p99 of a hundred times in any order are the fiftieth and the ninety-ninth", () => {
    const measured = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(timesOf("any", measured)).toEqual({ title: "any", samples: 100, p50Ms: 50, p99Ms: 99 });
  });

  it("one slow response of fifty determines the p99", () => {
    const measured = Array.from({ length: 50 }, (_, index) => (index === 7 ? 80 : 2));
    expect(timesOf("any", measured)).toMatchObject({ p50Ms: 2, p99Ms: 80 });
  });
});

describe("timeEach", () => {
  it("the first tenth of the calls is not counted", async () => {
    const ran: number[] = [];
    const { samples } = await timeEach("any", 20, async (iteration) => void ran.push(iteration));
    expect([samples, ran.length, ran.at(-1)]).toEqual([20, 22, 21]);
  });
});
