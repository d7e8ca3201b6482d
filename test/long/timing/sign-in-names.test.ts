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

/** Rejections of passkeys and passwords mostly wait, so several are measured beside each other. The others are busy, and would delay each other. */
const lanesFor = (step: Step, delayMs: number): number =>
  delayMs === 0 && (step === "appPassword" || step === "jwt") ? 1 : 4;
let unknownNames = 0;
const unknown = (): string => `unknown-${(unknownNames += 1)}`;

type Step = keyof NamesStack["attempts"];

interface Names {
  readonly first: () => string;
  readonly second: () => string;
}

async function timesOf(
  step: Step,
  [delayMs, pairs]: readonly [number, number],
  { first, second }: Names,
): Promise<Times> {
  site.proxy.delay(delayMs);
  const lanes = lanesFor(step, delayMs);
  const { outcome } = await site.attempts[step](second());
  const attempt = async (name: string): Promise<number> => {
    const answer = await site.attempts[step](name);
    expect(answer.outcome).toEqual(outcome);
    return answer.tookMs;
  };
  const times = { first: [] as number[], second: [] as number[] };
  const lane = async (): Promise<void> => {
    for (let index = 0; index < pairs / lanes; index += 1) {
      if (index % 2 === 0) times.first.push(await attempt(first()));
      times.second.push(await attempt(second()));
      if (index % 2 === 1) times.first.push(await attempt(first()));
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
    await timesOf(step, [0, 20], { first: known, second: unknown });
    const same = await timesOf(step, [0, 100], { first: known, second: known });
    expect(areaUnderCurve({ ...same, second: same.second.map((ms) => ms + 5) })).toBeGreaterThan(0.8);
  });

  test.each(backendDelays)("takes as long as one of an unknown name, with %i ms added", async (delayMs, pairs) => {
    const names = { first: known, second: unknown };
    await timesOf(step, [delayMs, 40], names);
    const times = await timesOf(step, [delayMs, pairs], names);
    expect(distinguishability(times), `area ${areaUnderCurve(times)}`).toBeLessThanOrEqual(tolerated(times));
  });
});
