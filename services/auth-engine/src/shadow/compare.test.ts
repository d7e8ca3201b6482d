import { createSecretKey } from "node:crypto";
import type { AuthDecision, Ok } from "@postern/shared/contracts";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { LookupOutcome, VerifyOutcome } from "../backends/backend.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { CachedFacts } from "../result-cache/result-caches.ts";
import { lookedUpAnswer, oldAnswer, type SideAnswer, verifiedAnswer } from "./answers.ts";
import { compare } from "./compare.ts";
import { kindsIn } from "./shadow-counter.ts";

const deps = {
  releasable: createAttributeFilter([]),
  ignored: new Set(["ignored"]),
  digest: createKeyedDigest(createSecretKey(Buffer.alloc(32))),
};
const noFactors = { old: undefined, new: undefined };

const signIn: Attempt = {
  operation: "authenticate",
  session: "1",
  username: "alice",
  protocol: "imap",
  dialect: "json",
  tls: true,
  memoryCache: true,
  sharedCache: true,
  password: undefined,
};
const lookup: Attempt = { ...signIn, operation: "lookup" };
const byPassword: CachedFacts = { credential: "password" };

const ok = (overrides: Partial<Ok> = {}): Ok => ({
  outcome: "ok",
  account: "alice",
  accountField: "uid",
  totpSecretField: "",
  backend: 2,
  attributes: { uid: ["alice"], mail: ["a", "b"] },
  memoryCache: "miss",
  ...overrides,
});
const denied = (reason: string, more: object = {}): AuthDecision => ({
  outcome: "fail",
  reason,
  memoryCache: "miss",
  ...more,
});
const account = (overrides: object = {}) => ({
  account: "alice",
  accountField: "uid",
  totpSecretField: "",
  attributes: { mail: ["b", "a"] },
  ...overrides,
});

const old = (decision: AuthDecision, facts: CachedFacts = byPassword, attempt = signIn): SideAnswer => {
  const answer = oldAnswer(attempt, decision, facts);
  if (answer === undefined) throw new Error("no backend decided");
  return answer;
};
const kinds = (one: SideAnswer, other: SideAnswer) => kindsIn(compare(one, other, noFactors, deps));

test.each<[name: string, old: SideAnswer, now: VerifyOutcome, kinds: readonly string[]]>([
  ["both accept", old(ok()), { kind: "ok", account: account() }, []],
  ["both refuse", old(denied("wrong_password")), { kind: "wrong_password" }, []],
  ["only the old accept", old(ok()), { kind: "wrong_password" }, ["password"]],
  ["only the new accept", old(denied("wrong_password")), { kind: "ok", account: account() }, ["password"]],
  ["a damaged hash refuses", old(ok()), { kind: "password_unverifiable" }, ["password"]],
  ["only the old know it", old(ok()), { kind: "unknown_user" }, ["missing"]],
  ["only the new know it", old(denied("unknown_user")), { kind: "wrong_password" }, ["added"]],
  ["nobody knows it", old(denied("unknown_user")), { kind: "unknown_user" }, []],
  ["disabled in the new", old(ok()), { kind: "account_disabled" }, ["disabled"]],
  ["disabled in the old", old(denied("account_disabled")), { kind: "ok", account: account() }, ["disabled"]],
  ["disabled in both", old(denied("account_disabled")), { kind: "account_disabled" }, []],
  ["another name", old(ok()), { kind: "ok", account: account({ account: "Alice" }) }, ["account"]],
  [
    "another name of an account whose password is wrong",
    old(denied("wrong_password"), { ...byPassword, guessedAccount: "alice" }),
    { kind: "wrong_password", account: "al" },
    ["account"],
  ],
  ["another value", old(ok()), { kind: "ok", account: account({ attributes: { mail: ["a"] } }) }, ["attributes"]],
  [
    "another identifier",
    old(ok({ uniqueUserId: "1" })),
    { kind: "ok", account: account({ uniqueUserId: "2" }) },
    ["attributes"],
  ],
  ["an identifier that only one side has", old(ok()), { kind: "ok", account: account({ uniqueUserId: "2" }) }, []],
  [
    "attributes that a cache kept",
    old(ok(), { ...byPassword, cache: { context: "", generation: 0, servedFrom: "shared" } }),
    { kind: "ok", account: account({ attributes: { mail: ["a"] }, uniqueUserId: "2" }) },
    [],
  ],
  ["other groups", old(ok({ groups: ["a"] })), { kind: "ok", account: account({ groups: ["b"] }) }, ["attributes"]],
])("passwords: %s", (_name, one, now, expected) => {
  expect(kinds(one, verifiedAnswer(now))).toEqual(expected);
});

test.each<[name: string, old: SideAnswer, now: LookupOutcome, kinds: readonly string[]]>([
  ["a right password says that the account exists", old(ok()), { kind: "ok", account: account() }, []],
  ["so does a wrong one", old(denied("wrong_password")), { kind: "ok", account: account() }, []],
  [
    "a wrong one does not say whether it is disabled",
    old(denied("wrong_password")),
    { kind: "unknown_user", isDisabled: true },
    [],
  ],
  ["disabled in the new", old(ok()), { kind: "unknown_user", isDisabled: true }, ["disabled"]],
  [
    "locked by the server, which a lookup does not show",
    old(denied("account_disabled", { detail: "locked" })),
    { kind: "ok", account: account() },
    [],
  ],
  [
    "an app password needs the account too",
    old(ok(), { credential: "app_password" }),
    { kind: "unknown_user" },
    ["missing"],
  ],
  [
    "disabled accounts are unknown to lookups",
    old(denied("unknown_user"), {}, lookup),
    { kind: "unknown_user", isDisabled: true },
    [],
  ],
  ["but not to sign-ins", old(denied("unknown_user")), { kind: "unknown_user", isDisabled: true }, ["added"]],
])("lookups: %s", (_name, one, now, expected) => {
  expect(kinds(one, lookedUpAnswer(now))).toEqual(expected);
});

test.each<[name: string, decision: AuthDecision, facts: CachedFacts, attempt: Attempt]>([
  ["a ban", { outcome: "blocked", rule: "r", memoryCache: "miss" }, {}, signIn],
  ["a control", denied("tls_required"), {}, signIn],
  ["a token that is wrong", denied("bad_token"), { credential: "token" }, signIn],
  ["a token of an unknown user", denied("unknown_user"), { credential: "token" }, signIn],
  ["a master user", ok(), byPassword, { ...signIn, masterLogin: { user: "bob", submitted: "bob*alice" } }],
])("what %s decides is no answer of the backends", (_name, decision, facts, attempt) => {
  expect(oldAnswer(attempt, decision, facts)).toBeUndefined();
});

test("attributes are compared without order, account name, ignored and secret ones, by keyed digests", () => {
  const attributes = { uid: ["alice"], mail: ["a", "b"], ignored: ["1"], userPassword: ["x"], title: ["old"] };
  const now = account({ attributes: { MAIL: ["b", "a"], Ignored: ["2"], userPassword: ["y"], title: ["new", "old"] } });
  const comparison = compare(old(ok({ attributes })), verifiedAnswer({ kind: "ok", account: now }), noFactors, deps);
  const { attributes: found = [] } = comparison.get("attributes") ?? {};
  expect(found.map(({ name, old: one, new: other }) => [name, one.length, other.length])).toEqual([["title", 1, 2]]);
  expect(found[0]?.new).toContain(found[0]?.old[0]);
  expect(JSON.stringify(found)).not.toMatch(/"old"[^:]|"new"[^:]/u);
});

test("names of any length are kept in 256 characters, and differ where the names do", () => {
  const long = "x".repeat(3_000_000);
  const comparison = compare(
    old(ok({ account: `${long}1` })),
    verifiedAnswer({ kind: "ok", account: account({ account: `${long}2` }) }),
    noFactors,
    deps,
  );
  const { old: one = "", new: other = "" } = comparison.get("account") ?? {};
  expect([one.length, other.length]).toEqual([256, 256]);
  expect(one).not.toBe(other);
});

test("what could not be judged stands: a refused password says nothing about attributes", () => {
  const comparison = compare(old(ok()), verifiedAnswer({ kind: "wrong_password" }), noFactors, deps);
  expect([...comparison.keys()].toSorted()).toEqual(["added", "missing", "password"]);
});

const of = (values: Record<string, string[]>) =>
  verifiedAnswer({ kind: "ok", account: account({ attributes: values }) });

test("whatever the new backends release, the comparison is bounded and never throws, and equal sides are equal", () => {
  const attributes = fc.dictionary(fc.string(), fc.array(fc.string({ maxLength: 9000 }), { maxLength: 30 }), {
    maxKeys: 80,
  });
  fc.assert(
    fc.property(attributes, attributes, (one, other) => {
      expect(kinds(of(one), of(structuredClone(one)))).toEqual([]);
      const text = JSON.stringify(compare(of(one), of(other), noFactors, deps).get("attributes") ?? {});
      expect(text.length).toBeLessThan(20 * (2 * 4 * 15 + 64 * 6 + 40));
    }),
    { numRuns: 30 },
  );
});

test("kinds of second factors are compared if both sides have read them", () => {
  const now = verifiedAnswer({ kind: "ok", account: account() });
  const found = compare(old(ok()), now, { old: ["totp"], new: [] }, deps).get("second_factors");
  expect(found).toEqual({ old: "totp", new: "none" });
  expect(compare(old(ok()), now, { old: ["totp"], new: undefined }, deps).has("second_factors")).toBe(false);
});
