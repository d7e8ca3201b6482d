import type { AuthRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/errors";
import { describe, expect, test } from "vitest";
import type { Directory, VerifyOutcome } from "../directories/directory.ts";
import type { CheckMailToken } from "../mail-tokens/check-mail-token.ts";
import { attemptOf } from "./attempt.ts";
import { decide, finishes, steps } from "./pipeline.ts";

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

/** A directory that always says the same, and remembers what it was asked. */
function fixedDirectory(name: string, outcome: VerifyOutcome | AppError): Directory & { readonly asked: string[] } {
  const asked: string[] = [];
  const say = (what: string): VerifyOutcome => {
    asked.push(what);
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  };
  return {
    kind: "test",
    name,
    asked,
    verify: async () => say("verify"),
    lookup: async () => {
      const said = say("lookup");
      if (said.kind === "ok" || said.kind === "unknown_user" || said.kind === "not_served") return said;
      throw new Error(`a look-up does not say ${said.kind}`);
    },
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification: async () => void asked.push("spend"),
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
const notServed: VerifyOutcome = { kind: "not_served" };
const down = new AppError("DIRECTORY_UNAVAILABLE");

function ask(
  outcomes: readonly (VerifyOutcome | AppError)[],
  change: Partial<AuthRequest> = {},
  checkMailToken?: CheckMailToken,
) {
  const directories = outcomes.map((outcome, index) => fixedDirectory(`d${index}`, outcome));
  const decision = decide(attemptOf({ ...request, ...change }), context, {
    directories,
    checkMailToken,
    resultCaches: undefined,
    bruteForce: undefined,
  });
  return { decision, directories };
}

test("the order of the steps is the documented one", () => {
  expect(steps.map(({ name }) => name)).toEqual([
    "reject-empty-password",
    "check-brute-force",
    "run-controls",
    "run-environment-scripts",
    "verify-master-user",
    "verify-token",
    "verify-app-password",
    "read-memory-cache",
    "read-shared-cache",
    "look-up-in-directories",
    "verify-in-directories",
  ]);
  expect(finishes.map(({ name }) => name)).toEqual([
    "count-failure",
    "keep-success",
    "run-subject-scripts",
    "apply-policies",
  ]);
});

test("policies have the last word", () => {
  expect(finishes.at(-1)?.name).toBe("apply-policies");
});

describe("verifying", () => {
  test("the first directory that knows the user decides, and the next is not asked", async () => {
    const { decision, directories } = ask([unknown, knows, wrong]);
    expect(await decision).toMatchObject({
      outcome: "ok",
      account: "alice@example.test",
      backend: 4,
      memoryCache: "miss",
    });
    expect(directories.map(({ asked }) => asked)).toEqual([["verify"], ["verify"], []]);
  });

  test.each([
    ["a wrong password", [wrong], "wrong_password"],
    ["a disabled account", [{ kind: "account_disabled" }], "account_disabled"],
    ["an unknown user", [unknown, unknown], "unknown_user"],
    ["an unknown user beside a directory that does not serve the protocol", [notServed, unknown], "unknown_user"],
  ] satisfies [string, VerifyOutcome[], string][])("%s is a denial", async (_what, outcomes, reason) => {
    expect(await ask(outcomes).decision).toEqual({ outcome: "fail", reason, memoryCache: "miss" });
  });

  test("an unknown user costs one verification", async () => {
    const { decision, directories } = ask([notServed, unknown, unknown]);
    await decision;
    expect(directories.map(({ asked }) => asked)).toEqual([["verify"], ["verify", "spend"], ["verify"]]);
  });

  test("a known user costs no second one", async () => {
    const { decision, directories } = ask([wrong]);
    await decision;
    expect(directories[0]?.asked).toEqual(["verify"]);
  });

  test("a directory that is away does not hide a user of the next one", async () => {
    expect(await ask([down, knows]).decision).toMatchObject({ outcome: "ok" });
  });

  test.each([
    ["nobody knows the user but one could not be asked", [unknown, down]],
    ["a wrong password behind a directory that could not be asked", [down, wrong]],
    ["the only directory is away", [down]],
  ] satisfies [string, (VerifyOutcome | AppError)[]][])(
    "undecidable is never a denial: %s",
    async (_what, outcomes) => {
      await expect(ask(outcomes).decision).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    },
  );

  test.each([[[]], [[notServed]]])("nothing that serves the protocol is a temporary failure", async (outcomes) => {
    await expect(ask(outcomes).decision).rejects.toMatchObject({ code: "DIRECTORY_NOT_CONFIGURED" });
  });

  test("an empty password reaches no directory", async () => {
    const { decision, directories } = ask([knows], { password: "" });
    expect(await decision).toMatchObject({ outcome: "fail", reason: "empty_password" });
    expect(directories[0]?.asked).toEqual([]);
  });
});

describe("looking up (mode=no-auth)", () => {
  test("needs no password and verifies none", async () => {
    const { decision, directories } = ask([unknown, knows], { operation: "lookup" });
    expect(await decision).toMatchObject({ outcome: "ok" });
    expect(directories.map(({ asked }) => asked)).toEqual([["lookup"], ["lookup"]]);
  });

  test("an unknown user is a denial, one that could not be looked up is not", async () => {
    expect(await ask([unknown], { operation: "lookup" }).decision).toMatchObject({ outcome: "fail" });
    await expect(ask([unknown, down], { operation: "lookup" }).decision).rejects.toMatchObject({
      code: "DIRECTORY_UNAVAILABLE",
    });
  });
});

const good: CheckMailToken = async () => "alice";
const bad: CheckMailToken = async () => undefined;
const away: CheckMailToken = async () => {
  throw new AppError("REDIS_UNAVAILABLE");
};
const unasked: CheckMailToken = () => Promise.reject(new Error("asked"));

describe("signing in with a token", () => {
  const byToken = { method: "OAuthBearer" };

  test("a good token lets in the account that the directories know, without a password", async () => {
    const { decision, directories } = ask([unknown, knows], byToken, good);
    expect(await decision).toMatchObject({ outcome: "ok", account: "alice@example.test", attributes: { mail: ["a"] } });
    expect(directories.map(({ asked }) => asked)).toEqual([["lookup"], ["lookup"]]);
  });

  test("a bad token is a denial before any directory is asked, whoever exists", async () => {
    for (const outcome of [knows, unknown, down]) {
      const { decision, directories } = ask([outcome], byToken, bad);
      expect(await decision).toEqual({ outcome: "fail", reason: "bad_token", memoryCache: "miss" });
      expect(directories[0]?.asked).toEqual([]);
    }
  });

  test("while it is off, the token is denied and reaches no directory as a password", async () => {
    const { decision, directories } = ask([knows], { method: "xoauth2" });
    expect(await decision).toEqual({ outcome: "fail", reason: "method_not_enabled", memoryCache: "miss" });
    expect(directories[0]?.asked).toEqual([]);
  });

  test("a good token of a user whom no directory knows, or whose account is off, is a denial", async () => {
    expect(await ask([unknown], byToken, good).decision).toMatchObject({ outcome: "fail", reason: "unknown_user" });
  });

  test("undecidable is never a denial", async () => {
    await expect(ask([knows], byToken, away).decision).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
    await expect(ask([unknown, down], byToken, good).decision).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  });

  test("passwords, empty ones and look-ups go their own way", async () => {
    expect(await ask([knows], { method: "plain" }, unasked).decision).toMatchObject({ outcome: "ok" });
    expect(await ask([knows], { ...byToken, operation: "lookup" }, unasked).decision).toMatchObject({ outcome: "ok" });
    expect(await ask([knows], { ...byToken, password: "" }, unasked).decision).toMatchObject({
      reason: "empty_password",
    });
  });
});
