import { expect, test } from "vitest";
import { possibleTimes } from "./clock.ts";

const at = (nowMs: number, isMeasured = true) => ({ now: () => nowMs, isMeasured: () => isMeasured });

test.each([
  ["the clock is behind", at(1000), at(5000), [1000, 5000]],
  ["the clock is ahead", at(5000), at(1000), [1000, 5000]],
  ["the other clock has not been measured", at(5000), at(1000, false), [5000, 5000]],
])("%s", (_, clock, other, expected) => {
  const { earliest, latest } = possibleTimes(clock, other);
  expect([earliest.now(), latest.now()]).toEqual(expected);
});
