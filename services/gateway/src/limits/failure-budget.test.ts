import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createFailureBudget, type FailureBudget, type FailureBudgetDeps } from "./failure-budget.ts";
import { createSharedBudget, type TakeShared } from "./shared-budget-redis.ts";
import { rateOf, takeToken } from "./token-buckets.ts";

const burst = 5;
const rate = rateOf({ perSecond: 10, burst });
const client = "192.0.2.1";

const nothing = (): void => undefined;

/** A manually advanced clock, and a bucket that replaces the one in Redis. */
function createWorld() {
  const world = { nowUs: 1_000_000, takes: 0, answering: true };
  const row = { key: client, fullAtUs: 0 };
  const take: TakeShared = async () => {
    world.takes += 1;
    if (!world.answering) throw new Error("connection refused");
    const granted = takeToken(row, world.nowUs, rate) === 0;
    await Promise.resolve();
    return { granted, debtUs: Math.max(0, row.fullAtUs - world.nowUs) };
  };
  return { world, take };
}

type World = ReturnType<typeof createWorld>;

function gatewayIn({ world, take }: World, options: Partial<FailureBudgetDeps> = {}) {
  const onUnavailable = vi.fn<(reason: unknown) => void>();
  const shared = createSharedBudget(take, { timeoutMs: 1000, retryMs: 10_000, onUnavailable, onAvailable: nothing });
  const announced: { key: string; emptyForMs: number }[] = [];
  const budget = createFailureBudget({
    shared,
    rate: () => rate,
    now: () => world.nowUs,
    maxAddresses: 100,
    maxWaiting: 100,
    announce: (key, emptyForMs) => announced.push({ key, emptyForMs }),
    counted: () => undefined,
    onEmpty: () => undefined,
    ...options,
  });
  return { budget, announced, onUnavailable, shared };
}

/** Acts as the caller hook with wrong credentials: returns whether they were evaluated and whether the response is 401. */
async function fail(budget: FailureBudget): Promise<"401" | "429 evaluated" | "429"> {
  return budget.admit(client, async (waitMs) => {
    if (waitMs > 0) return "429";
    return (await budget.spend(client)) === 0 ? "401" : "429 evaluated";
  });
}

async function admitted(budget: FailureBudget): Promise<boolean> {
  return budget.admit(client, async (waitMs) => waitMs === 0);
}

describe("one gateway", () => {
  test("the burst of failures is 401, every further one 429 without evaluation and without Redis", async () => {
    const world = createWorld();
    const { budget, announced } = gatewayIn(world);
    expect(budget.clear).toBe(true);
    const answers = await Promise.all(Array.from({ length: 50 }, () => fail(budget)));
    expect(answers.filter((answer) => answer === "401").length).toBe(burst);
    expect(answers.filter((answer) => answer === "429").length).toBe(50 - burst);
    expect(world.world.takes).toBe(burst);
    expect(announced).toEqual([{ key: client, emptyForMs: 100 }]);
    expect(await admitted(budget)).toBe(false);
    world.world.nowUs += rate.intervalUs;
    expect(await admitted(budget)).toBe(true);
  });

  test("other addresses are not affected", async () => {
    const { budget } = gatewayIn(createWorld());
    await Promise.all(Array.from({ length: 50 }, () => fail(budget)));
    expect(await budget.admit("192.0.2.2", async (waitMs) => waitMs)).toBe(0);
  });

  test("while Redis is unavailable the local bucket decides, and no other gateway is notified", async () => {
    const world = createWorld();
    world.world.answering = false;
    const { budget, announced, onUnavailable, shared } = gatewayIn(world);
    const answers = await Promise.all(Array.from({ length: 50 }, () => fail(budget)));
    expect(answers.filter((answer) => answer === "401").length).toBe(burst);
    expect(answers).not.toContain("429 evaluated");
    expect([shared.isUnavailable(), onUnavailable.mock.calls.length, world.world.takes]).toEqual([true, 1, 1]);
    expect(announced).toEqual([]);
  });

  test("if Redis never answers, only one request waits for the timeout", async () => {
    const world = createWorld();
    const take = vi.fn(() => new Promise<never>(() => undefined));
    const shared = createSharedBudget(take, {
      timeoutMs: 20,
      retryMs: 10_000,
      onUnavailable: nothing,
      onAvailable: nothing,
    });
    const { budget } = gatewayIn(world, { shared });
    expect(await fail(budget)).toBe("401");
    expect(await fail(budget)).toBe("401");
    expect(take).toHaveBeenCalledTimes(1);
    expect(shared.isUnavailable()).toBe(true);
  });

  test("the address that took a token longest ago is dropped when the table is full", async () => {
    const { budget } = gatewayIn(createWorld(), { maxAddresses: 10 });
    const spends = Array.from({ length: 50 }, (_, host) => budget.spend(`192.0.2.${host}`));
    expect(budget.size).toBe(10);
    await Promise.all(spends);
  });

  test("a request that cannot wait is evaluated, and its failure still needs a token", async () => {
    const { budget } = gatewayIn(createWorld(), { maxWaiting: 0 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => fail(budget)));
    expect(answers.filter((answer) => answer === "401").length).toBe(burst);
  });
});

describe("several gateways with one Redis", () => {
  test("however requests are distributed, the burst of failures is 401, and each gateway evaluates at most one more", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 4 }),
        fc.array(fc.nat(3), { minLength: 20, maxLength: 80 }),
        async (count, choices) => {
          const world = createWorld();
          const gateways = Array.from({ length: count }, () => gatewayIn(world));
          const answers = await Promise.all(
            choices.flatMap((choice) => {
              const gateway = gateways[choice % count];
              return gateway === undefined ? [] : [fail(gateway.budget)];
            }),
          );
          expect(answers.filter((answer) => answer === "401").length).toBe(burst);
          expect(answers.filter((answer) => answer === "429 evaluated").length).toBeLessThanOrEqual(count);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("a gateway that was notified evaluates no further request", async () => {
    const world = createWorld();
    const { budget } = gatewayIn(world);
    budget.learn(client, 100);
    expect(await fail(budget)).toBe("429");
    expect(world.world.takes).toBe(0);
    world.world.nowUs += rate.intervalUs;
    expect(await fail(budget)).toBe("401");
  });

  test("events of other gateways never make an address wait longer than for one token", async () => {
    const world = createWorld();
    const { budget } = gatewayIn(world);
    budget.learn(client, 1e12);
    world.world.nowUs += rate.intervalUs;
    expect(await admitted(budget)).toBe(true);
  });
});
