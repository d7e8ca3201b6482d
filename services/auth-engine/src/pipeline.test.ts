import type { AuthRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { describe, expect, test } from "vitest";
import type { Backend, VerifyOutcome } from "./backends/backend.ts";
import type { BruteForce, BruteForceFacts } from "./brute-force/brute-force.ts";
import type { CheckMailToken } from "./mail-tokens/check-mail-token.ts";
import { attemptOf } from "./pipeline/attempt.ts";
import { stepDeps } from "./pipeline/testing/step-deps.ts";
import { decide, finalizers, steps } from "./pipeline.ts";
import { makeAppPassword } from "./second-factors/app-passwords.ts";

const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal, facts: {} };

const request: AuthRequest = {
  session: "7d3f",
  operation: "authenticate",
  dialect: "json",
  username: "alice",
  password: "pw",
  protocol: "imap",
  tls: false,
  memoryCache: true,
  sharedCache: true,
};

/** A backend that always returns the same outcome and records its calls. */
function fixedBackend(name: string, outcome: VerifyOutcome | AppError): Backend & { readonly calls: string[] } {
  const calls: string[] = [];
  const say = (what: string): VerifyOutcome => {
    calls.push(what);
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  };
  return {
    kind: "test",
    name,
    calls,
    verify: async () => say("verify"),
    lookup: async () => {
      const said = say("lookup");
      if (said.kind === "ok" || said.kind === "unknown_user" || said.kind === "not_served") return said;
      throw new Error(`a look-up does not say ${said.kind}`);
    },
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification: async () => void calls.push("spend"),
    check: async () => undefined,
    close: async () => undefined,
  };
}

const account = {
  account: "alice@example.test",
  accountField: "mail",
  totpSecretField: "",
  attributes: { mail: ["a"] },
};
const knows: VerifyOutcome = { kind: "ok", account };
const unknown: VerifyOutcome = { kind: "unknown_user" };
const wrong: VerifyOutcome = { kind: "wrong_password" };
const remotelyDenied: VerifyOutcome = { kind: "denied", waitSeconds: 4 };
const notServed: VerifyOutcome = { kind: "not_served" };
const down = new AppError("DIRECTORY_UNAVAILABLE");

function ask(
  outcomes: readonly (VerifyOutcome | AppError)[],
  change: Partial<AuthRequest> = {},
  checkMailToken?: CheckMailToken,
) {
  const backends = outcomes.map((outcome, index) => fixedBackend(`d${index}`, outcome));
  const decision = decide(attemptOf({ ...request, ...change }), context, stepDeps({ backends, checkMailToken }));
  return { decision, backends };
}

test("the order of the steps is the documented one", () => {
  expect(steps.map(({ name }) => name).join(" ")).toBe(
    "reject-empty-password check-brute-force refuse-domain run-controls run-environment-scripts verify-master-user " +
      "verify-token refuse-mail-password verify-app-password read-memory-cache read-shared-cache look-up-in-backends " +
      "verify-in-backends",
  );
  expect(finalizers.map(({ name }) => name)).toEqual([
    "count-failure",
    "determine-account-delay",
    "refuse-suspended",
    "assess-risk",
    "keep-success",
    "run-subject-scripts",
    "apply-policies",
  ]);
});

describe("verifying", () => {
  test("the first backend that knows the user decides, and the engine does not query the next", async () => {
    const { decision, backends } = ask([unknown, knows, wrong]);
    expect(await decision).toMatchObject({
      outcome: "ok",
      account: "alice@example.test",
      backend: 4,
      memoryCache: "miss",
    });
    expect(backends.map(({ calls }) => calls)).toEqual([["verify"], ["verify"], []]);
  });

  test.each([
    ["a wrong password", [wrong], "wrong_password"],
    ["a disabled account", [{ kind: "account_disabled" }], "account_disabled"],
    ["an unknown user", [unknown, unknown], "unknown_user"],
    ["an unknown user after a backend that does not serve the protocol", [notServed, unknown], "unknown_user"],
  ] satisfies [string, VerifyOutcome[], string][])("%s is a denial", async (_what, outcomes, reason) => {
    expect(await ask(outcomes).decision).toEqual({ outcome: "fail", reason, memoryCache: "miss" });
  });

  test("a denial of another server does not say whether it knows the user, so the next backend is asked", async () => {
    expect(await ask([remotelyDenied, knows]).decision).toMatchObject({ outcome: "ok" });
    expect(await ask([remotelyDenied, wrong]).decision).toMatchObject({ reason: "wrong_password" });
    const { decision, backends } = ask([remotelyDenied, unknown]);
    expect(await decision).toEqual({ outcome: "fail", reason: "remote_denied", waitSeconds: 4, memoryCache: "miss" });
    expect(backends.map(({ calls }) => calls)).toEqual([["verify"], ["verify", "spend"]]);
    await expect(ask([down, remotelyDenied]).decision).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  });

  test("another server verifies its own app passwords, and no other backend sees one", async () => {
    const { password } = makeAppPassword();
    const local = fixedBackend("sql", knows);
    const remote: typeof local = { ...fixedBackend("http", knows), kind: "remote" };
    const deps = stepDeps({ backends: [local, remote] });
    const decision = await decide(attemptOf({ ...request, password }), { ...context, facts: {} }, deps);
    expect(decision).toMatchObject({ outcome: "ok", backend: 6 });
    expect([local.calls, remote.calls]).toEqual([[], ["verify"]]);
  });

  test("an unknown user costs one password verification", async () => {
    const { decision, backends } = ask([notServed, unknown, unknown]);
    await decision;
    expect(backends.map(({ calls }) => calls)).toEqual([["verify"], ["verify", "spend"], ["verify"]]);
  });

  test("a known user costs no second verification", async () => {
    const { decision, backends } = ask([wrong]);
    await decision;
    expect(backends[0]?.calls).toEqual(["verify"]);
  });

  test("an unavailable backend does not hide a user of the next one", async () => {
    expect(await ask([down, knows]).decision).toMatchObject({ outcome: "ok" });
  });

  test.each([
    ["no backend knows the user, but one is unavailable", [unknown, down]],
    ["a wrong password in the backend after an unavailable one", [down, wrong]],
    ["the only backend is unavailable", [down]],
  ] satisfies [string, (VerifyOutcome | AppError)[]][])(
    "a temporary failure is never a denial: %s",
    async (_what, outcomes) => {
      await expect(ask(outcomes).decision).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    },
  );

  test.each([[[]], [[notServed]]])(
    "an attempt is a temporary failure if no backend serves the protocol",
    async (outcomes) => {
      await expect(ask(outcomes).decision).rejects.toMatchObject({ code: "DIRECTORY_NOT_CONFIGURED" });
    },
  );

  test("an empty password reaches no backend", async () => {
    const { decision, backends } = ask([knows], { password: "" });
    expect(await decision).toMatchObject({ outcome: "fail", reason: "empty_password" });
    expect(backends[0]?.calls).toEqual([]);
  });
});

describe("looking up (mode=no-auth)", () => {
  test("needs no password and verifies none", async () => {
    const { decision, backends } = ask([unknown, knows], { operation: "lookup" });
    expect(await decision).toMatchObject({ outcome: "ok" });
    expect(backends.map(({ calls }) => calls)).toEqual([["lookup"], ["lookup"]]);
  });

  test("an unknown user is a denial, a failed lookup is not", async () => {
    expect(await ask([unknown], { operation: "lookup" }).decision).toMatchObject({ outcome: "fail" });
    await expect(ask([unknown, down], { operation: "lookup" }).decision).rejects.toMatchObject({
      code: "DIRECTORY_UNAVAILABLE",
    });
  });
});

/** Protection that finds a ban from the second check on, as if guesses that arrived together had reached the limit meanwhile. */
function banAfterFirstCheck() {
  const delayedFor: string[] = [];
  let checks = 0;
  const facts = (): BruteForceFacts => ({
    target: undefined,
    account: undefined,
    accountFailures: 0,
    accountDelayMs: 0,
    counted: false,
    repeatedWrongPassword: false,
    degraded: false,
    pending: false,
    accountPasswordsSeen: 0,
    totalPasswordsSeen: 0,
    ...(checks > 1 && { rule: "ipv4", retryAfterSeconds: 60 }),
  });
  const bruteForce: BruteForce = {
    check: async () => {
      checks += 1;
      return facts();
    },
    countFailure: () => Promise.reject(new Error("counted")),
    recordSuccess: () => Promise.reject(new Error("recorded")),
    determineDelay: async (name) => void delayedFor.push(name),
    keepBan: () => undefined,
    flush: () => undefined,
  };
  return { bruteForce, delayedFor };
}

test("a correct password that must be changed is not counted, but a ban that exists by then refuses it, and its account may be delayed", async () => {
  const { bruteForce, delayedFor } = banAfterFirstCheck();
  const outcome = { kind: "account_disabled", account: "alice@example.test", mustChangePassword: true } as const;
  const deps = stepDeps({ backends: [fixedBackend("d0", outcome)], bruteForce });
  const decision = await decide(attemptOf(request), { ...context, facts: {} }, deps);
  expect(decision).toEqual({ outcome: "blocked", rule: "ipv4", retryAfterSeconds: 60, memoryCache: "miss" });
  expect(delayedFor).toEqual(["alice@example.test"]);
});

test.each([
  ["another server denied", remotelyDenied, true],
  ["that cannot be verified", { kind: "password_unverifiable" }, true],
  ["that is wrong", wrong, false],
] satisfies [string, VerifyOutcome, boolean][])(
  "a password %s counts for the account, and whether for the network",
  async (_what, outcome, sparesNetwork) => {
    const counted: unknown[] = [];
    const { bruteForce } = banAfterFirstCheck();
    const countFailure: BruteForce["countFailure"] = async (_attempt, guess) => void counted.push(guess);
    const deps = stepDeps({
      backends: [fixedBackend("d0", outcome)],
      bruteForce: { ...bruteForce, countFailure },
    });
    expect(await decide(attemptOf(request), { ...context, facts: {} }, deps)).toMatchObject({ outcome: "fail" });
    expect(counted).toMatchObject([{ isPassword: true, sparesNetwork }]);
  },
);

const good: CheckMailToken = async () => ({ username: "alice", signedInAt: undefined });
const bad: CheckMailToken = async () => undefined;
const away: CheckMailToken = async () => {
  throw new AppError("REDIS_UNAVAILABLE");
};
const unasked: CheckMailToken = () => Promise.reject(new Error("asked"));

describe("signing in with a token", () => {
  const byToken = { method: "OAuthBearer" };

  test("a valid token admits an account of a backend without a password", async () => {
    const { decision, backends } = ask([unknown, knows], byToken, good);
    expect(await decision).toMatchObject({ outcome: "ok", account: "alice@example.test", attributes: { mail: ["a"] } });
    expect(backends.map(({ calls }) => calls)).toEqual([["lookup"], ["lookup"]]);
  });

  test("an invalid token is denied before the engine queries a backend, whether or not the user exists", async () => {
    for (const outcome of [knows, unknown, down]) {
      const { decision, backends } = ask([outcome], byToken, bad);
      expect(await decision).toEqual({ outcome: "fail", reason: "bad_token", memoryCache: "miss" });
      expect(backends[0]?.calls).toEqual([]);
    }
  });

  test("while the method is disabled, a token is denied and is not sent to a backend as a password", async () => {
    const { decision, backends } = ask([knows], { method: "xoauth2" });
    expect(await decision).toEqual({ outcome: "fail", reason: "method_not_enabled", memoryCache: "miss" });
    expect(backends[0]?.calls).toEqual([]);
  });

  test("a valid token of an unknown user is a denial", async () => {
    expect(await ask([unknown], byToken, good).decision).toMatchObject({ outcome: "fail", reason: "unknown_user" });
  });

  test("an unavailable dependency is never a denial", async () => {
    await expect(ask([knows], byToken, away).decision).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
    await expect(ask([unknown, down], byToken, good).decision).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  });

  test("passwords, empty passwords and lookups are not handled as tokens", async () => {
    expect(await ask([knows], { method: "plain" }, unasked).decision).toMatchObject({ outcome: "ok" });
    expect(await ask([knows], { ...byToken, operation: "lookup" }, unasked).decision).toMatchObject({ outcome: "ok" });
    expect(await ask([knows], { ...byToken, password: "" }, unasked).decision).toMatchObject({
      reason: "empty_password",
    });
  });
});
