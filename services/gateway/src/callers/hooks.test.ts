import Fastify, { type FastifyInstance } from "fastify";
import { beforeEach, expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import { createFailureBudget } from "../limits/failure-budget.ts";
import { createSharedBudget } from "../limits/shared-budget-redis.ts";
import { monotonicUs, rateOf } from "../limits/token-buckets.ts";
import { createSpendBudgetHook } from "./hooks.ts";
import type { CallerAuthOutcome } from "./outcome.ts";
import { createRejectCaller, RejectionDelay } from "./reject.ts";

const burst = 3;
const rate = rateOf({ perSecond: 1, burst });
const nothing = (): void => undefined;
const callerAddress = (): string => "192.0.2.1";

let app: FastifyInstance;
let counted: CallerAuthOutcome[];

beforeEach(() => {
  const budget = createFailureBudget({
    shared: createSharedBudget(async () => ({ granted: true, debtUs: 0 }), {
      timeoutMs: 1000,
      retryMs: 1000,
      onUnavailable: nothing,
      onAvailable: nothing,
    }),
    rate: () => rate,
    now: monotonicUs,
    maxAddresses: 10,
    maxWaiting: 10,
    announce: nothing,
    counted: nothing,
    onEmpty: nothing,
  });
  counted = [];
  app = Fastify();
  const spendBudget = createSpendBudgetHook({
    budget,
    callerAddressKey: callerAddress,
    reject: createRejectCaller({
      delay: new RejectionDelay(),
      names: wireNames("service"),
      challenges: () => [],
      reportRejected: nothing,
      callerAddress,
    }),
    metrics: { callerChecked: (outcome) => void counted.push(outcome) },
  });
  app.get("/basic", { onRequest: [spendBudget] }, async () => "evaluated");
});

test("each request takes a token, even a successful one; without a token the response is 429 and the request is not evaluated", async () => {
  const answers = [];
  for (let count = 0; count < burst + 2; count += 1) answers.push(await app.inject("/basic"));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429, 429]);
  expect(answers.at(-1)?.headers["retry-after"]).toBe("1");
  expect(answers.at(-1)?.body).toBe("");
  expect(counted).toEqual(["budget_exhausted", "budget_exhausted"]);
});
