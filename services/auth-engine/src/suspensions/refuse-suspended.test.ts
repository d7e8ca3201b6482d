import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import type { BruteForce, BruteForceFacts } from "../brute-force/brute-force.ts";
import { attemptOf } from "../pipeline/attempt.ts";
import { refuseSuspended } from "./refuse-suspended.ts";

const request: AuthRequest = {
  session: "s",
  operation: "authenticate",
  dialect: "json",
  username: "alias",
  password: "right",
  protocol: "imap",
  tls: true,
  memoryCache: true,
  sharedCache: true,
};
const ok: AuthDecision = {
  outcome: "ok",
  account: "alice",
  accountField: "uid",
  totpSecretField: "",
  backend: 8,
  attributes: {},
  memoryCache: "hit",
};
const suspension = { account: "alice", sinceMs: 0, by: "ada", session: "g" };

async function decide(
  decision: AuthDecision,
  change: Partial<AuthRequest> = {},
  {
    reason,
    facts = {},
    rule,
    isUndecidable = false,
  }: {
    readonly reason?: string;
    readonly facts?: object;
    readonly rule?: string;
    readonly isUndecidable?: boolean;
  } = {},
) {
  const counted: string[] = [];
  const own = { ...suspension, ...(reason !== undefined && { reason }) };
  const found: Partial<BruteForceFacts> = { rule, retryAfterSeconds: 1 };
  const bruteForce: Partial<BruteForce> = { check: async () => Object(found) };
  const seen: { guessedAccount?: string } = { ...facts };
  const answer = await refuseSuspended.run(
    attemptOf({ ...request, ...change }),
    decision,
    { deadline: 0, signal: new AbortController().signal, facts: seen },
    {
      bruteForce: Object(bruteForce),
      suspensions: {
        find: (account) => (account === "alice" ? own : undefined),
        isAny: () => true,
        isUndecidable: () => isUndecidable,
        refused: () => counted.push("refused"),
        defaultMessage: (language) => ({ message: "locked", language: language ?? "en" }),
      },
    },
  );
  return { answer, counted, guessedAccount: seen.guessedAccount };
}

const refused = { outcome: "fail", reason: "account_suspended", memoryCache: "hit" };

test.each([
  [{}, { ...refused, message: "locked", language: "en" }],
  [{ acceptLanguage: "de" }, { ...refused, message: "locked", language: "de" }],
  [{ dialect: "idp" as const }, { ...refused, account: "alice", message: "locked", language: "en" }],
])("a correct credential is refused: %j", async (change, answer) => {
  expect(await decide(ok, change)).toEqual({ answer, counted: ["refused"], guessedAccount: "alice" });
});

test("the operator's text is one line", async () => {
  const { answer } = await decide(ok, {}, { reason: "Call us\r\nX-Injected: 1" });
  expect(answer).toEqual({ ...refused, message: "Call us X-Injected: 1" });
});

test("a password that must be changed is refused for the suspension", async () => {
  const decision = {
    outcome: "fail",
    reason: "account_disabled",
    mustChangePassword: true,
    memoryCache: "hit",
  } as const;
  const { answer } = await decide(decision, {}, { facts: { guessedAccount: "alice" } });
  expect(answer).toMatchObject({ reason: "account_suspended" });
});

test("while suspensions are unknown, a site may want temporary failures for correct credentials only", async () => {
  const unread = { isUndecidable: true };
  await expect(decide({ ...ok, account: "bob" }, {}, unread)).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
  const wrong = { outcome: "fail", reason: "wrong_password", memoryCache: "miss" } as const;
  expect((await decide(wrong, {}, unread)).answer).toBe(wrong);
});

test("a wrong password, a lookup and another account stay as they are", async () => {
  const wrong = { outcome: "fail", reason: "wrong_password", memoryCache: "miss" } as const;
  expect((await decide(wrong, {}, { facts: { guessedAccount: "alice" } })).answer).toBe(wrong);
  expect((await decide(ok, { operation: "lookup" })).answer).toBe(ok);
  const other = { ...ok, account: "bob" };
  expect(await decide(other)).toEqual({ answer: other, counted: [], guessedAccount: undefined });
});

test("a password gets the ban that other guesses have brought about meanwhile; app passwords and tokens cannot be guessed", async () => {
  const banned = { rule: "imap", facts: { credential: "password" } };
  expect((await decide(ok, {}, banned)).answer).toMatchObject({ outcome: "blocked", rule: "imap" });
  expect((await decide(ok, {}, { ...banned, facts: { credential: "token" } })).answer).toMatchObject(refused);
});
