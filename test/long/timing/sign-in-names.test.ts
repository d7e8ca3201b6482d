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

/** Rejections that mostly wait are measured beside each other. Those that compute, as argon2 for tokens does, would delay each other. */
const lanesFor = (step: Step, delayMs: number): number =>
  step === "jwt" || (step === "appPassword" && delayMs === 0) ? 1 : 4;
/** A rejected token takes a third of a second, of which argon2 varies by few milliseconds: 100 pairs show a difference of 5 ms. */
const pairsFor = (step: Step, pairs: number): number => (step === "jwt" ? Math.min(pairs, 100) : pairs);
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
    const planted = { ...same, second: same.second.map((ms) => ms + 5) };
    expect(distinguishability(planted)).toBeGreaterThan(tolerated(planted));
  });

  test.each(backendDelays)("takes as long as one of an unknown name, with %i ms added", async (delayMs, pairs) => {
    const names = { first: known, second: unknown };
    await timesOf(step, [delayMs, 20], names);
    const times = await timesOf(step, [delayMs, pairsFor(step, pairs)], names);
    expect(distinguishability(times), `area ${areaUnderCurve(times)}`).toBeLessThanOrEqual(tolerated(times));
  });
});
