import type { AuthDecision } from "@postern/shared/contracts";
import type { DelayedResponse } from "@postern/shared/platform/concurrency";
import { expect, test } from "vitest";
import { createAccountDelay, type DelayedDecision } from "./account-delays.ts";

const wrong = { outcome: "fail", reason: "wrong_password", memoryCache: "miss" } as const;
const held = { ...wrong, holdMs: 8000 };
const settings = { maxWaiting: 2, maxWaitingWithoutClient: 7, decisionTimeoutMs: 6000 };

/** What the response is delayed by. */
function delayOf(change: Partial<DelayedDecision>) {
  const delayed: DelayedResponse[] = [];
  const delays = {
    delay: (response: DelayedResponse) => {
      delayed.push(response);
      return () => undefined;
    },
    end: () => undefined,
  };
  const base = { decision: held, isPeer: false, caller: "192.0.2.1", elapsedMs: 0, patienceMs: Infinity };
  const found = createAccountDelay(delays, () => settings)({ ...base, ...change }, () => undefined);
  expect(delayed.map(({ ms }) => ms)).toEqual(found === undefined ? [] : [found.ms]);
  return delayed[0];
}

test.each<[string, Partial<DelayedDecision>, number]>([
  ["the decision timeout", {}, 6000],
  ["what is left of it", { elapsedMs: 2500.5 }, 3499],
  ["the account's delay, if that is shorter", { decision: { ...held, holdMs: 300 } }, 300],
  ["the caller's deadline, with time for the response", { patienceMs: 1000 }, 900],
])("a delay ends with %s", (_, change, ms) => {
  expect(delayOf(change)).toEqual({ key: "192.0.2.1", ms, maxPerKey: 2 });
});

test("without the client's address, more responses to the caller are delayed", () => {
  expect(delayOf({ isPeer: true })).toMatchObject({ maxPerKey: 7 });
});

test.each<[string, AuthDecision]>([
  ["without a delay", wrong],
  ["that is temporary", { outcome: "tempfail", code: "INTERNAL", message: "" }],
])("a decision %s is answered at once", (_, decision) => {
  expect(delayOf({ decision })).toBeUndefined();
});
