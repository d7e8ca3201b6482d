import { expect, onTestFinished, test } from "vitest";
import { createDeliveryLoop } from "./delivery-loop.ts";

function loopThat(look: (count: number, closing: AbortSignal) => Promise<void>) {
  const state = { looks: 0, errors: 0 };
  const loop = createDeliveryLoop({
    look: async (closing) => {
      state.looks += 1;
      await look(state.looks, closing);
    },
    onError: () => void (state.errors += 1),
  });
  onTestFinished(() => loop.close());
  const untilLooks = (count: number) => expect.poll(() => state.looks).toBe(count);
  return { loop, state, untilLooks };
}

test("wake starts the next run without waiting for the interval", async () => {
  const { loop, state, untilLooks } = loopThat(async () => undefined);
  loop.start();
  await untilLooks(1);
  for (let count = 2; count < 10; count += 1) {
    loop.wake();
    await untilLooks(count);
  }
  expect(state.errors).toBe(0);
});

test("only one run is active at a time; all calls during a run cause one more run together", async () => {
  const held = Promise.withResolvers<void>();
  const { loop, state, untilLooks } = loopThat((count) => (count === 2 ? held.promise : Promise.resolve()));
  loop.start();
  await untilLooks(1);
  loop.wake();
  await untilLooks(2);
  for (let calls = 0; calls < 10; calls += 1) loop.wake();
  expect(state.looks).toBe(2);
  held.resolve();
  await untilLooks(3);
});

test("the loop reports the first of consecutive failures and continues", async () => {
  const { loop, state, untilLooks } = loopThat((count) =>
    count === 3 ? Promise.resolve() : Promise.reject(new Error("away")),
  );
  loop.start();
  for (let count = 1; count <= 4; count += 1) {
    await untilLooks(count);
    await expect.poll(() => state.errors).toBe(count === 4 ? 2 : 1);
    loop.wake();
  }
});

test("close aborts the active run and waits for it; no run starts afterwards", async () => {
  const steps: string[] = [];
  const { loop, state } = loopThat(async (_count, closing) => {
    await new Promise((resolve) => closing.addEventListener("abort", resolve));
    steps.push("look ended");
  });
  loop.start();
  await loop.close();
  steps.push("closed");
  expect(steps).toEqual(["look ended", "closed"]);
  loop.wake();
  expect(state.looks).toBe(1);
});
