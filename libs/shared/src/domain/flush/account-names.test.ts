import { expect, test } from "vitest";
import type { AuthDecision } from "../../contracts/auth/decision.ts";
import type { Bus } from "../../platform/bus/bus.ts";
import { systemClock } from "../../platform/time/clock.ts";
import { createAccountNames } from "./account-names.ts";
import { flushStatus } from "./flushes.ts";

const unknown: AuthDecision = { outcome: "fail", reason: "unknown_user", memoryCache: "miss" };
const denied: AuthDecision = { outcome: "fail", reason: "policy", memoryCache: "miss" };

/** Looks a name up with one protocol for each decision. */
function names(decisions: readonly AuthDecision[]) {
  const left = [...decisions];
  const request = async (): Promise<AuthDecision> => left.shift() ?? unknown;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a bus that answers one method
  const bus = { request } as Pick<Bus, "request">;
  const protocols = () => decisions.map((_decision, index) => `protocol-${index}`);
  return createAccountNames({ bus, clock: systemClock, protocols, timeoutMs: 1000 })("alias");
}

test("a name that the backends do not know has no account", async () => {
  expect(await names([unknown, unknown])).toEqual({ accounts: [], isComplete: true, isDenied: false });
});

test.each<AuthDecision>([
  denied,
  { outcome: "fail", reason: "script", memoryCache: "miss" },
  { outcome: "fail", reason: "a reason of a newer engine", memoryCache: "miss" },
  { outcome: "blocked", rule: "wide", memoryCache: "miss" },
])("a denied lookup leaves open whether the name is an account's: %o", async (decision) => {
  expect(await names([unknown, decision])).toEqual({ accounts: [], isComplete: true, isDenied: true });
});

test("the status of a flush says that the lookup was denied", () => {
  const flushed = { removedKeys: [], isComplete: true, isLookupDenied: true, isScriptDone: true };
  expect(flushStatus(flushed)).toMatch(/^not flushed; the lookup of the name was denied/u);
});
