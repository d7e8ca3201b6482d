import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@postern/shared/platform/time";
import { expect, onTestFinished, test } from "vitest";
import { createDeliveryLoop } from "./delivery-loop.ts";

const maxAtOnce = 64;
/** A busy machine needs this long. */
const patient = { timeout: 20_000 };

interface Steps {
  readonly recipientOf?: (message: number) => string;
  readonly clock?: Clock;
  readonly claim?: (count: number, limit: number) => Promise<readonly number[]>;
  readonly deliver?: (message: number, closing: AbortSignal) => Promise<void>;
}

const maxWaitMs = 5000;

function loopWith({ claim = async () => [], deliver = async () => undefined, recipientOf = String, clock }: Steps) {
  const state = { claims: 0, errors: 0, started: [] as number[] };
  const loop = createDeliveryLoop<number>({
    claim: (limit) => {
      state.claims += 1;
      return claim(state.claims, limit);
    },
    deliver: (message, closing) => {
      state.started.push(message);
      return deliver(message, closing);
    },
    recipientOf,
    maxWaitMs: () => maxWaitMs,
    onError: () => void (state.errors += 1),
    ...(clock && { clock }),
  });
  onTestFinished(() => loop.close());
  const untilClaims = (count: number) => expect.poll(() => state.claims, patient).toBe(count);
  return { loop, state, untilClaims };
}

/** A queue of due messages. */
function queueOf(count: number) {
  const due = Array.from({ length: count }, (_each, index) => index);
  return { due, claim: async (_count: number, limit: number) => due.splice(0, limit) };
}

const untilAborted = (closing: AbortSignal): Promise<void> =>
  new Promise((resolve) => closing.addEventListener("abort", () => resolve()));

test("wake starts the next run without waiting for the interval", async () => {
  const { loop, state, untilClaims } = loopWith({});
  loop.start();
  await untilClaims(1);
  for (let count = 2; count < 10; count += 1) {
    loop.wake();
    await untilClaims(count);
  }
  expect(state.errors).toBe(0);
});

test("only one run claims at a time; all calls during a run cause one more run together", async () => {
  const held = Promise.withResolvers<readonly number[]>();
  const { loop, state, untilClaims } = loopWith({ claim: async (count) => (count === 2 ? held.promise : []) });
  loop.start();
  await untilClaims(1);
  loop.wake();
  await untilClaims(2);
  for (let calls = 0; calls < 10; calls += 1) loop.wake();
  expect(state.claims).toBe(2);
  held.resolve([]);
  await untilClaims(3);
});

test("a delivery that hangs does not delay messages that are due later", async () => {
  const queue = queueOf(1);
  const { loop, state } = loopWith({
    ...queue,
    deliver: (message, closing) => (message === 0 ? untilAborted(closing) : Promise.resolve()),
  });
  loop.start();
  await expect.poll(() => state.started, patient).toEqual([0]);
  queue.due.push(1);
  loop.wake();
  await expect.poll(() => state.started, patient).toEqual([0, 1]);
});

test("as many as there are places are delivered at a time, and the next as soon as one has ended", async () => {
  const ends = new Map<number, () => void>();
  const { loop, state } = loopWith({
    ...queueOf(maxAtOnce + 2),
    deliver: (message, closing) =>
      Promise.race([untilAborted(closing), new Promise<void>((resolve) => ends.set(message, resolve))]),
  });
  loop.start();
  await expect.poll(() => state.started, patient).toHaveLength(maxAtOnce);
  ends.get(5)?.();
  await expect.poll(() => state.started.slice(maxAtOnce), patient).toEqual([maxAtOnce]);
  ends.get(7)?.();
  await expect.poll(() => state.started.slice(maxAtOnce), patient).toEqual([maxAtOnce, maxAtOnce + 1]);
});

test("a recipient that hangs delays its own messages only, however many it has", async () => {
  const hung = 1500;
  const queue = queueOf(hung + 20);
  const { loop, state } = loopWith({
    ...queue,
    recipientOf: (message) => (message < hung ? "hung" : `other ${message}`),
    deliver: (message, closing) => (message < hung ? untilAborted(closing) : Promise.resolve()),
  });
  loop.start();
  const others = () => state.started.filter((message) => message >= hung);
  await expect.poll(others, patient).toHaveLength(20);
  expect(state.started.filter((message) => message < hung)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("all messages to one recipient are delivered, eight at a time", async () => {
  let running = 0;
  let highest = 0;
  const { loop, state } = loopWith({
    ...queueOf(250),
    recipientOf: () => "one",
    deliver: async () => {
      running += 1;
      highest = Math.max(highest, running);
      await nextTurn();
      running -= 1;
    },
  });
  loop.start();
  await expect.poll(() => state.started, patient).toHaveLength(250);
  expect(new Set(state.started).size).toBe(250);
  expect(highest).toBe(8);
});

test("a message that waited longer than its lease permits is not delivered", async () => {
  let nowMs = 0;
  const ends = new Map<number, () => void>();
  const queue = queueOf(10);
  const { loop, state, untilClaims } = loopWith({
    ...queue,
    recipientOf: () => "slow",
    clock: { now: () => nowMs },
    deliver: (message, closing) =>
      Promise.race([untilAborted(closing), new Promise<void>((resolve) => ends.set(message, resolve))]),
  });
  loop.start();
  await expect.poll(() => state.started, patient).toHaveLength(8);
  nowMs = maxWaitMs - 1;
  ends.get(0)?.();
  await expect.poll(() => state.started, patient).toHaveLength(9);
  nowMs = maxWaitMs;
  ends.get(1)?.();
  queue.due.push(10, 11);
  loop.wake();
  await untilClaims(2);
  await expect.poll(() => state.started.slice(9), patient).toEqual([10]);
});

test.each<[string, Steps]>([
  [
    "claims",
    { claim: (count) => (count === 3 ? Promise.resolve([]) : Promise.reject(new Error("Redis is unavailable"))) },
  ],
  [
    "results",
    {
      claim: async (count) => [count],
      deliver: (count) => (count === 3 ? Promise.resolve() : Promise.reject(new Error("Redis is unavailable"))),
    },
  ],
])("the loop reports the first of consecutive failures and continues: %s", async (_name, steps) => {
  const { loop, state, untilClaims } = loopWith(steps);
  loop.start();
  for (let count = 1; count <= 4; count += 1) {
    await untilClaims(count);
    await expect.poll(() => state.errors, patient).toBe(count === 4 ? 2 : 1);
    loop.wake();
  }
});

test("close aborts the deliveries and waits for them; no run starts afterwards", async () => {
  const steps: string[] = [];
  const { loop, state } = loopWith({
    ...queueOf(1),
    deliver: async (_message, closing) => {
      await untilAborted(closing);
      steps.push("delivery ended");
    },
  });
  loop.start();
  await expect.poll(() => state.started, patient).toEqual([0]);
  await loop.close();
  steps.push("closed");
  expect(steps).toEqual(["delivery ended", "closed"]);
  const { claims } = state;
  loop.wake();
  expect(state.claims).toBe(claims);
});

test("close during a claim starts no further one, and ends what was claimed", async () => {
  const held = Promise.withResolvers<readonly number[]>();
  const steps: string[] = [];
  const { loop, untilClaims } = loopWith({
    claim: () => held.promise,
    deliver: async (_message, closing) => {
      steps.push(closing.aborted ? "aborted" : "running");
    },
  });
  loop.start();
  await untilClaims(1);
  const closed = loop.close();
  held.resolve([1]);
  await closed;
  expect(steps).toEqual(["aborted"]);
});
