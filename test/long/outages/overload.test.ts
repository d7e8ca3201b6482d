import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const concurrency = 8;
const perRound = 150;
const rounds = 5;
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    engines: 2,
    settings: {
      runtime: { timeouts: { decision: "120s" } },
      auth: { pipeline: { max_concurrent_requests: concurrency } },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

interface Answered {
  readonly status: number;
  readonly tookMs: number;
}

let attempts = 0;
/** A password check, the most expensive work, that no cache answers. */
async function ask(): Promise<Answered> {
  attempts += 1;
  const started = performance.now();
  const { status } = await askJson(stack.url, { ...alice, password: `wrong-${attempts}` });
  return { status, tookMs: performance.now() - started };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

interface Round {
  readonly answers: readonly Answered[];
  readonly perMs: number;
}

/** Sends as many requests at a time as the gateway accepts. */
async function atCapacity(): Promise<Round> {
  const answers: Answered[] = [];
  const started = performance.now();
  const loop = async (): Promise<void> => {
    while (answers.length < perRound) answers.push(await ask());
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { answers, perMs: answers.length / (performance.now() - started) };
}

/** Requests at a fixed rate, whether the earlier ones have been answered or not. */
async function atRate(perMs: number): Promise<readonly Answered[]> {
  const started = performance.now();
  const open: Promise<Answered>[] = [];
  while (open.length < 4 * perRound) {
    const due = Math.floor((performance.now() - started) * perMs);
    while (open.length < Math.min(due, 4 * perRound)) open.push(ask());
    await new Promise(setImmediate);
  }
  return Promise.all(open);
}

test("at twice the capacity, accepted requests take at most twice as long, and the rest fails temporarily", async () => {
  await atCapacity();
  const ratios: number[] = [];
  const statuses = new Map<number, number>();
  // In turn, so that a machine that becomes slower affects both.
  for (let round = 0; round < rounds; round += 1) {
    const normal = await atCapacity();
    const overload = await atRate(2 * normal.perMs);
    for (const { status } of overload) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const accepted = overload.filter(({ status }) => status === 403).map(({ tookMs }) => tookMs);
    expect(accepted.length).toBeGreaterThan(0);
    ratios.push(median(accepted) / median(normal.answers.map(({ tookMs }) => tookMs)));
  }
  expect(new Set(statuses.keys())).toEqual(new Set([403, 500]));
  expect(median(ratios)).toBeLessThanOrEqual(2);
}, 600_000);
