import { expect, test } from "vitest";
import type { AuthDecision } from "../../contracts/auth/decision.ts";
import type { BackendDescription } from "../../contracts/auth/methods.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import { createAccountNames } from "./account-names.ts";
import { flushStatus } from "./flushes.ts";

const unknown: AuthDecision = { outcome: "fail", reason: "unknown_user", memoryCache: "miss" };
const denied: AuthDecision = { outcome: "fail", reason: "policy", memoryCache: "miss" };

/** Looks a name up with one protocol for each decision, among backends with these descriptions. */
function names(decisions: readonly AuthDecision[], backends: readonly BackendDescription[] = []) {
  const left = [...decisions];
  const request = async (method: { readonly name: string }): Promise<object> =>
    method.name === "describe-account" ? { backends } : (left.shift() ?? unknown);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a bus that answers one method
  const bus = { request } as Pick<Bus, "request">;
  const protocols = () => decisions.map((_decision, index) => `protocol-${index}`);
  return createAccountNames(bus, protocols)("alias");
}

test("a name that the backends do not know has no account", async () => {
  expect(await names([unknown, unknown])).toMatchObject({ accounts: [], isComplete: true, isDenied: false });
});

test.each<AuthDecision>([
  denied,
  { outcome: "fail", reason: "script", memoryCache: "miss" },
  { outcome: "fail", reason: "a reason of a newer engine", memoryCache: "miss" },
  { outcome: "blocked", rule: "wide", memoryCache: "miss" },
])("a denied lookup leaves open whether the name is an account's: %o", async (decision) => {
  expect(await names([unknown, decision])).toMatchObject({ accounts: [], isComplete: true, isDenied: true });
});

const backend = (outcome: string, account?: string): BackendDescription => ({
  name: outcome,
  outcome,
  stores: [],
  ...(account !== undefined && { account }),
});

test.each([
  ["a disabled account has its own name", [backend("disabled", "alice@example.test")], ["alice@example.test"], true],
  ["of a disabled account without a name, the name as asked is the account's", [backend("disabled")], ["alias"], true],
  ["only the search for second factors finds it", [backend("unknown_user"), backend("found", "a")], ["a"], true],
  [
    "a backend before the one that decides may have the account",
    [backend("unavailable"), backend("found", "a")],
    [],
    false,
  ],
  [
    "a backend after the one that decides does not matter",
    [backend("found", "a"), backend("unavailable")],
    ["a"],
    true,
  ],
] as const)("%s", async (_what, backends, accounts, isComplete) => {
  expect(await names([unknown], backends)).toMatchObject({ accounts, isComplete, isDenied: false });
});

test("the status of a flush says that the lookup was denied", () => {
  const flushed = { removedKeys: [], isComplete: true, isLookupDenied: true, isScriptDone: true };
  expect(flushStatus(flushed)).toMatch(/^not flushed; the lookup of the name was denied/u);
});
