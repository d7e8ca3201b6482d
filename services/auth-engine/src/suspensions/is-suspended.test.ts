import { steadyClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import type { Backend } from "../backends/backend.ts";
import { forEveryName } from "../backends/backends-by-name.ts";
import type { BruteForce } from "../brute-force/brute-force.ts";
import { createAllowLogin } from "../dovecot/allow-login.ts";
import { createSuspensionCheck } from "./is-suspended.ts";

const account = { account: "alice", accountField: "uid", totpSecretField: "", attributes: {} };

const find = (name: string) => (name === "alice" ? { account: name, sinceMs: 0, by: "ada", session: "g" } : undefined);

/** An engine whose backend has alice under the alias `ally`; its lookups. */
function engine({ rule, isAny = true, fails = false }: { rule?: string; isAny?: boolean; fails?: boolean } = {}) {
  const lookups: { readonly username: string; readonly leftMs: number }[] = [];
  const warnings: string[] = [];
  const backend: Partial<Backend> = {
    name: "d",
    lookup: async ({ username }, { deadline }) => {
      lookups.push({ username, leftMs: deadline - steadyClock.now() });
      if (fails) throw new Error("no answer");
      return username === "ally" ? { kind: "ok", account } : { kind: "unknown_user" };
    },
  };
  const suspensions = {
    find,
    isAny: () => isAny,
    isUndecidable: () => false,
    refused: () => undefined,
    defaultMessage: () => ({}),
  };
  const logger = Object({ warn: (_fields: object, text: string) => warnings.push(text) });
  const check = createSuspensionCheck({ suspensions, logger }, forEveryName([Object(backend)]));
  const bruteForce: Partial<BruteForce> = {
    check: async () => Object({ rule }),
    determineDelay: async () => undefined,
  };
  const allow = createAllowLogin(
    () => Object(bruteForce),
    () => undefined,
    check,
  );
  const ask = (username: string) =>
    allow(Object({ session: "s", username, protocol: "imap", clientIp: "192.0.2.1", tls: true }), {
      deadline: steadyClock.now() + 60_000,
      signal: new AbortController().signal,
    });
  return { ask, lookups, warnings };
}

const rejected = { verdict: "reject", reason: "account_suspended" };

test("the name of a suspended account needs no lookup; an alias needs one, which is kept and ends soon", async () => {
  const { ask, lookups } = engine();
  expect(await ask("ALICE")).toEqual(rejected);
  expect(lookups).toEqual([]);
  for (let count = 0; count < 2; count += 1) expect(await ask("ally")).toEqual(rejected);
  expect(await ask("bob")).toEqual({ verdict: "accept" });
  expect(lookups.map(({ username }) => username)).toEqual(["ally", "bob"]);
  for (const { leftMs } of lookups) expect(leftMs).toBeLessThanOrEqual(300);
});

test("a banned network causes no lookup, and neither does a sign-in while no account is suspended", async () => {
  const banned = engine({ rule: "imap" });
  expect(await banned.ask("ally")).toMatchObject({ reason: "ban", rule: "imap" });
  const none = engine({ isAny: false });
  expect(await none.ask("ally")).toEqual({ verdict: "accept" });
  expect([...banned.lookups, ...none.lookups]).toEqual([]);
});

test("a lookup that fails is logged, not kept, and refuses nobody", async () => {
  const { ask, lookups, warnings } = engine({ fails: true });
  for (let count = 0; count < 2; count += 1) expect(await ask("ally")).toEqual({ verdict: "accept" });
  expect([lookups.length, warnings.length]).toEqual([2, 2]);
});
