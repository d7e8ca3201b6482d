import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countedShared, countStatuses, type Gateway, type Gateways, startGateways, wrongAuth } from "./gateways.ts";

const burst = 10;

let stack: Gateways;
let first: Gateway;
let second: Gateway;

beforeAll(async () => {
  stack = await startGateways({ per_second: 1, burst });
  [first, second] = [stack.first, await stack.start()];
});

afterAll(() => stack[Symbol.asyncDispose]());

const isLocal = "service_failure_budget_local";

async function expectOwnBuckets(network: string): Promise<void> {
  for (const gateway of [first, second]) {
    const statuses = await countStatuses(burst + 5, () => gateway.ask(`${network}.1`, wrongAuth));
    expect(statuses.get(401)).toBeGreaterThanOrEqual(burst);
    expect(statuses.get(429)).toBeGreaterThan(0);
    expect((await gateway.ask(`${network}.2`)).status).toBe(200);
    expect(await gateway.metric(isLocal)).toBe(1);
    expect(await gateway.process.readiness()).toBe(200);
  }
}

async function expectSharedAgain(network: string): Promise<void> {
  let host = 1;
  for (const gateway of [first, second]) {
    await poll("Redis to be used again", async () => {
      await gateway.ask(`${network}.${(host += 1)}`, wrongAuth);
      return (await gateway.metric(isLocal)) === 0;
    });
  }
  const counted = await countedShared([first, second], async (index) => {
    const startedAt = performance.now();
    const [here, there] = await Promise.all(
      [first, second].map((gateway) => countStatuses(20, () => gateway.ask(`${network}.${200 + index}`, wrongAuth))),
    );
    const refilled = Math.ceil((performance.now() - startedAt) / 1000);
    return { evaluated: (here?.get(401) ?? 0) + (there?.get(401) ?? 0), allowed: burst + refilled };
  });
  expect(counted.evaluated).toBeLessThanOrEqual(counted.allowed);
}

test("while Redis hangs, each gateway counts on its own and reports it, and no failure waits for Redis", async () => {
  await pause(stack.redis);
  try {
    expect((await first.ask("198.51.100.9", wrongAuth)).status).toBe(401);
    expect((await first.ask("198.51.100.9")).status).toBe(200);
    await expectOwnBuckets("198.51.100");
  } finally {
    stack.redis.signal("SIGCONT");
  }
  await expectSharedAgain("198.51.101");
});

test("after Redis was killed and returned empty, gateways share the budget again", async () => {
  stack.redis.signal("SIGKILL");
  expect(await stack.redis.stop()).toBe(null);
  await expectOwnBuckets("198.51.102");
  await stack.startRedis();
  await expectSharedAgain("198.51.103");
});
