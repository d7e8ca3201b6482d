import Fastify, { type FastifyInstance } from "fastify";
import { beforeEach, expect, test } from "vitest";
import type { CallerAuthOutcome } from "../caller-auth/outcome.ts";
import { createRejectionDelay } from "../caller-auth/rejection.ts";
import { wireNames } from "../dialects/naming.ts";
import { createBooking, type TakeShared } from "../limits/budget-booking.ts";
import { monotonicUs } from "../limits/debt-table.ts";
import { createFailureBudget } from "../limits/failure-budget.ts";
import { rateOf } from "../limits/gcra.ts";
import { createRejectCaller } from "./reject-caller.ts";
import { createSpendBudgetHook } from "./spend-budget.ts";

const burst = 3;
const rate = rateOf({ perSecond: 1, burst });
const nothing = (): void => undefined;
const take: TakeShared = async () => ({ granted: true, debtUs: 0 });
const callerAddress = (): string => "192.0.2.1";

let app: FastifyInstance;
let counted: CallerAuthOutcome[];

beforeEach(() => {
  const budget = createFailureBudget({
    booking: createBooking({ take, timeoutMs: 1000, retryMs: 1000, onAway: nothing, onBack: nothing }),
    rate: () => rate,
    now: monotonicUs,
    maxAddresses: 10,
    maxWaiting: 10,
    announce: nothing,
    counted: nothing,
    onEmpty: nothing,
  });
  counted = [];
  const logger = { warn: nothing };
  const delay = createRejectionDelay();
  app = Fastify();
  const spendBudget = createSpendBudgetHook({
    budget,
    callerAddressKey: callerAddress,
    reject: createRejectCaller({
      delay,
      names: wireNames("service"),
      challenges: () => [],
      logger,
      audit: { record: () => undefined },
      callerAddress,
    }),
    counted: (outcome) => counted.push(outcome),
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
