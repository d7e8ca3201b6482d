import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NamesStack, startNamesStack } from "../../support/names-stack.ts";
import {
  areaUnderCurve,
  backendDelays,
  distinguishability,
  type Times,
  tolerated,
} from "../../support/time-difference.ts";

let site: NamesStack;
beforeAll(async () => {
  site = await startNamesStack();
});
afterAll(() => site[Symbol.asyncDispose]());

/** Most of the time of an attempt is waiting for the backend, so several are measured beside each other. */
const lanes = 4;
let unknownNames = 0;
const unknown = (): string => `unknown-${(unknownNames += 1)}`;

type Step = keyof NamesStack["attempts"];

async function timesOf(step: Step, pairs: number, first: () => string, second: () => string): Promise<Times> {
  const attempt = site.attempts[step];
  const times = { first: [] as number[], second: [] as number[] };
  const lane = async (): Promise<void> => {
    for (let index = 0; index < pairs / lanes; index += 1) {
      if (index % 2 === 0) times.first.push((await attempt(first())).tookMs);
      times.second.push((await attempt(second())).tookMs);
      if (index % 2 === 1) times.first.push((await attempt(first())).tookMs);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return times;
}

describe.each<readonly [Step, string]>([
  ["passkey", "holder"],
  ["passkey", "alice"],
  ["appPassword", "alice"],
  ["page", "alice"],
  ["jwt", "operator"],
  ["jwt", "alice"],
])("a rejected %s of %s", (step, name) => {
  const known = (): string => name;

  test("the measurement detects a planted difference of 5 ms", async () => {
    site.proxy.delay(0);
    await timesOf(step, 20, known, unknown);
    const same = await timesOf(step, 100, known, known);
    expect(areaUnderCurve({ ...same, second: same.second.map((ms) => ms + 5) })).toBeGreaterThan(0.8);
  });

  test.each(backendDelays)("takes as long as one of an unknown name, with %i ms added", async (delayMs, pairs) => {
    site.proxy.delay(delayMs);
    await timesOf(step, 40, known, unknown);
    const times = await timesOf(step, pairs, known, unknown);
    expect(distinguishability(times)).toBeLessThanOrEqual(tolerated(times));
  });
});
