/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { loadConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { describe, expect, test } from "vitest";
import { attemptOf } from "../pipeline/attempt.ts";
import type { PolicyFacts } from "./fact-readers.ts";
import { type AppliedPolicy, createPolicies } from "./policies.ts";
import { policySettings } from "./policy-settings.ts";

const request: AuthRequest = {
  session: "7d3f",
  operation: "authenticate",
  dialect: "json",
  username: "alice@example.test",
  password: "pw",
  protocol: "imap",
  clientIp: "203.0.113.9",
  tls: true,
  memoryCache: true,
  sharedCache: true,
};

const ok: AuthDecision = {
  outcome: "ok",
  account: "alice@example.test",
  accountField: "mail",
  totpSecretField: "",
  backend: 8,
  attributes: { status: ["suspended"], note: ["Call\r\nus"] },
  memoryCache: "hit",
};
const wrong: AuthDecision = { outcome: "fail", reason: "wrong_password", memoryCache: "miss" };
const blocked: AuthDecision = { outcome: "blocked", rule: "net", memoryCache: "miss" };
const undecided: AuthDecision = { outcome: "tempfail", code: "TLS_REQUIRED", message: "TLS please" };
const files: Readonly<Record<string, string>> = { "site.yaml": "moved: Your mailbox moved\n" };

function policies(policy: object) {
  const loaded = loadConfig({ text: JSON.stringify({ auth: { policy } }), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const applied: AppliedPolicy[] = [];
  const settings = policySettings(loaded.config.auth.policy, (file) => {
    const text = files[file];
    if (text === undefined) throw new Error("no such file");
    return text;
  });
  return { ...createPolicies({ ...settings, onApplied: (one) => applied.push(one) }), applied };
}

interface Situation {
  readonly change?: Partial<AuthRequest>;
  readonly facts?: PolicyFacts;
}

function decided(policy: object, decision: AuthDecision, { change = {}, facts = {} }: Situation = {}): AuthDecision {
  const applied = policies(policy).apply({ attempt: attemptOf({ ...request, ...change }), decision, facts });
  if (applied instanceof Promise) throw new Error("no rule of this test queries a backend");
  return applied;
}

const always = { always: true };
function one(decision: string, then: object = {}, condition: object = always) {
  return { policies: [{ name: "r", if: condition, then: { decision, ...then } }] };
}

describe("effects", () => {
  test("deny after a correct password is a denial with the reason policy", () => {
    expect(decided(one("deny"), ok)).toEqual({ outcome: "fail", reason: "policy", policy: "r", memoryCache: "hit" });
  });

  test.each([wrong, blocked])("deny keeps a refusal and may set its message: %j", (decision) => {
    expect(decided(one("deny"), decision)).toEqual(decision);
    const text = { response_message: { from: "literal", text: "No" } };
    expect(decided(one("deny", text), decision)).toEqual({ ...decision, message: "No" });
  });

  test("tempfail turns the decision into a temporary failure", () => {
    expect(decided(one("tempfail"), ok)).toEqual({
      outcome: "tempfail",
      code: "POLICY_TEMPFAIL",
      message: "Temporary server problem, try again later",
    });
  });

  test("no rule turns a temporary failure into a denial, but a rule may set its message", () => {
    const denial = {
      name: "d",
      if: { not: { attribute: "auth.authenticated", is: true } },
      then: { decision: "deny" },
    };
    const words = {
      name: "w",
      if: always,
      then: { decision: "tempfail", response_message: { from: "literal", text: "Use TLS" } },
    };
    expect(decided({ policies: [denial] }, undecided)).toBe(undecided);
    expect(decided({ policies: [denial, words] }, undecided)).toEqual({ ...undecided, message: "Use TLS" });
  });

  test.each([ok, wrong, blocked, undecided])("permit leaves %j unchanged: a rule cannot admit a user", (decision) => {
    expect(decided(one("permit"), decision)).toBe(decision);
  });
});

const rule = (name: string, decision: string, condition: object = always, more: object = {}) => ({
  name,
  if: condition,
  then: { decision },
  ...more,
});

describe("rules", () => {
  test("the first rule whose condition holds decides", () => {
    const inside = { attribute: "request.client.ip", cidr_contains: "inside" };
    const policy = {
      sets: { networks: { inside: ["203.0.113.0/24"] } },
      policies: [rule("inside", "permit", inside), rule("rest", "deny")],
    };
    expect(decided(policy, ok)).toBe(ok);
    expect(decided(policy, ok, { change: { clientIp: "192.0.2.1" } })).toMatchObject({ outcome: "fail" });
  });

  test("a rule applies to its listed operations, by default to logins and lookups", () => {
    const policy = { policies: [rule("r", "deny", always, { operations: ["lookup_identity"] })] };
    expect(decided(policy, ok)).toBe(ok);
    expect(decided(policy, ok, { change: { operation: "lookup" } })).toMatchObject({ reason: "policy" });
    expect(decided(one("deny"), ok, { change: { operation: "lookup" } })).toMatchObject({ reason: "policy" });
    expect(decided(one("deny"), ok, { change: { operation: "list-accounts" } })).toBe(ok);
  });

  test("the decision is unchanged if no rule applies", () => {
    expect(decided({ policies: [rule("r", "deny", { attribute: "request.protocol", eq: "smtp" })] }, ok)).toBe(ok);
    expect(decided({}, ok)).toBe(ok);
  });

  test("mode observe reports the effect without changing the decision", () => {
    const set = policies({ ...one("deny", { reason: "trial" }), mode: "observe" });
    expect(set.apply({ attempt: attemptOf(request), decision: ok, facts: {} })).toBe(ok);
    expect(set.applied).toEqual([
      { session: "7d3f", mode: "observe", rule: "r", effect: "deny", reason: "trial", before: "ok", after: "fail" },
    ]);
  });
});

const bruteForce = {
  target: {
    source: { address: "192.0.2.1", tag: "192.0.2.1", clientNetwork: "192.0.2.1", guessesKey: "guesses", scopes: [] },
    scopes: [],
    username: "alice",
    keys: { wrongPasswords: "pw", pending: "pending" },
  },
  account: undefined,
  accountFailures: 0,
  accountDelayMs: 0,
  counted: true,
  repeatedWrongPassword: false,
  degraded: false,
  pending: false,
  accountPasswordsSeen: 4,
  totalPasswordsSeen: 9,
};

describe("facts", () => {
  test.each([
    [{ attribute: "auth.authenticated", is: true }, ok, {}],
    [{ attribute: "auth.authenticated", is: false }, wrong, {}],
    [{ attribute: "auth.denial.reason", eq: "wrong_password" }, wrong, {}],
    [{ attribute: "auth.brute_force.triggered", is: true }, blocked, {}],
    [{ attribute: "auth.brute_force.rule", eq: "net" }, blocked, {}],
    [{ attribute: "auth.cache.hit", is: true }, ok, {}],
    [{ attribute: "auth.account.name", eq: "alice@example.test" }, ok, {}],
    [{ attribute: "auth.subject.attribute.status", contains: "suspended" }, ok, {}],
    [{ attribute: "auth.subject.attribute.constructor", exists: false }, ok, {}],
    [{ attribute: "auth.subject.attribute.status", exists: false }, wrong, {}],
    [{ attribute: "auth.directory", eq: "sql" }, ok, { facts: { backendName: "sql" } }],
    [{ attribute: "auth.brute_force.account_passwords", gte: 4 }, wrong, { facts: { bruteForce } }],
    [{ attribute: "auth.brute_force.repeating", is: false }, wrong, { facts: { bruteForce } }],
    [{ attribute: "auth.rbl.listed", contains: "x" }, ok, { facts: { controls: { rblListed: ["x"] } } }],
    [{ attribute: "auth.rbl.score", gte: 3 }, ok, { facts: { controls: { rblScore: 3 } } }],
    [{ attribute: "auth.control.rejected", exists: false }, ok, {}],
    [{ attribute: "auth.backend.empty_password", is: true }, wrong, { change: { password: "" } }],
    [{ attribute: "request.local.port", eq: 993 }, ok, { change: { localPort: "993" } }],
    [{ attribute: "request.local.port", exists: false }, ok, { change: { localPort: "imaps" } }],
    [{ attribute: "auth.master_user.active", is: false }, ok, {}],
    [{ attribute: "request.operation", eq: "lookup_identity" }, ok, { change: { operation: "lookup" } }],
  ] satisfies [object, AuthDecision, Situation][])("%j holds for %j", (condition, decision, situation) => {
    expect(decided(one("tempfail", {}, condition), decision, situation).outcome).toBe("tempfail");
  });
});

const i18n = (key: string, fallback = "") => ({ from: "i18n", i18n_key: key, fallback });
const said = (then: object, acceptLanguage?: string, more: object = {}) => {
  const change = acceptLanguage === undefined ? {} : { acceptLanguage };
  const decision = decided({ ...one("deny", then), ...more }, ok, { change });
  return decision.outcome === "fail" ? [decision.message, decision.language] : [];
};

describe("messages", () => {
  test("a literal message has no language", () => {
    expect(said({ response_message: { from: "literal", text: "No" } }, "de")).toEqual(["No", undefined]);
  });

  test("a message from an attribute is reduced to one line and has no language", () => {
    const message = { from: "attribute", attribute: "auth.subject.attribute.note", fallback: "x" };
    expect(said({ response_message: message })).toEqual(["Call us", undefined]);
    const none = { from: "attribute", attribute: "auth.subject.attribute.none", fallback: "x" };
    expect(said({ response_message: none })).toEqual(["x", undefined]);
  });

  test("a catalogue message is in the client's language, or in the default language", () => {
    const then = { response_message: i18n("auth.account_locked", "x") };
    expect(said(then, "de-CH, en;q=0.5")).toEqual([
      "Dieses Konto ist gesperrt; wenden Sie sich an Ihren Administrator",
      "de",
    ]);
    expect(said(then, "sv")).toEqual(["This account is locked; contact your administrator", "en"]);
    expect(said(then)).toEqual(["This account is locked; contact your administrator", "en"]);
    expect(said(then, "sv", { localization: { default_language: "de" } })[1]).toBe("de");
  });

  test("the rule's language takes precedence over the client's", () => {
    expect(said({ response_message: i18n("auth.account_locked"), response_language: "de" }, "en")[1]).toBe("de");
  });

  test("a missing text is replaced by the fallback, which has no language, or by the default message of the response", () => {
    expect(said({ response_message: i18n("auth.nothing", "Sorry") }, "de")).toEqual(["Sorry", undefined]);
    expect(said({ response_message: i18n("auth.nothing") }, "de")).toEqual([undefined, undefined]);
    const fixed = { response_message: i18n("auth.account_locked", "Sorry"), response_language: "sv" };
    expect(said(fixed, "de")).toEqual(["Sorry", undefined]);
  });

  test("a site may define catalogues in the configuration or in a file", () => {
    const catalogs = [
      { namespace: "site", language: "en", file: "site.yaml" },
      { namespace: "site", language: "de-AT", entries: { moved: "Übersiedelt" } },
    ];
    const more = { localization: { catalogs } };
    expect(said({ response_message: i18n("site.moved") }, "fr", more)).toEqual(["Your mailbox moved", "en"]);
    expect(said({ response_message: i18n("site.moved") }, "de-AT", more)).toEqual(["Übersiedelt", "de-AT"]);
  });

  test("a catalogue file that cannot be read is rejected with the reason", () => {
    const catalogs = [{ namespace: "site", language: "en", file: "gone.yaml" }];
    expect(() => policies({ localization: { catalogs } })).toThrow("no such file");
  });

  test("a long message is truncated between characters", () => {
    const long = { from: "attribute", attribute: "request.user_agent" };
    const decision = decided(one("deny", { response_message: long }), ok, { change: { userAgent: "😀".repeat(300) } });
    expect(decision).toMatchObject({ message: "😀".repeat(256) });
  });
});

const away = (): Promise<boolean> => Promise.reject(new AppError("DIRECTORY_UNAVAILABLE"));

describe("the account's second factor", () => {
  const condition = {
    all: [
      { attribute: "request.protocol", eq: "imap" },
      { attribute: "auth.credential", eq: "password" },
      { attribute: "auth.account.second_factor", is: true },
    ],
  };
  const ask = (answer: () => Promise<boolean>, change: Partial<AuthRequest> = {}, mode = "enforce") => {
    let callCount = 0;
    const facts: PolicyFacts = {
      credential: "password",
      accountHasSecondFactor: () => {
        callCount += 1;
        return answer();
      },
    };
    const known = { attempt: attemptOf({ ...request, ...change }), decision: ok, facts };
    return { result: policies({ mode, ...one("deny", {}, condition) }).apply(known), callCount: () => callCount };
  };

  test("a rule may deny the main password only for accounts with a second factor", async () => {
    expect(await ask(async () => true).result).toMatchObject({ outcome: "fail", reason: "policy" });
    expect(await ask(async () => false).result).toEqual(ok);
  });

  test("is queried only if a rule evaluates that condition", () => {
    const { result, callCount } = ask(async () => true, { protocol: "oidc" });
    expect([result, callCount()]).toEqual([ok, 0]);
  });

  test("an unavailable backend is a temporary failure, and has no effect in mode observe", async () => {
    await expect(ask(away).result).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    expect(await ask(away, {}, "observe").result).toEqual(ok);
  });
});

test("groups and the kind of credential are facts", () => {
  const staff = one("deny", {}, { attribute: "auth.account.groups", contains: "suspended" });
  const byToken = one("deny", {}, { attribute: "auth.credential", eq: "token" });
  expect(decided(staff, ok, { facts: { groups: ["suspended"] } }).outcome).toBe("fail");
  expect(decided(staff, ok, { facts: { groups: ["staff"] } })).toEqual(ok);
  expect(decided(byToken, ok, { facts: { credential: "token" } }).outcome).toBe("fail");
});
