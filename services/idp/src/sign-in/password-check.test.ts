import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import { createEngineCalls, EngineUndecided } from "./password-check.ts";

const context = { session: "s1", deadline: 1000, signal: new AbortController().signal };
const attempt = {
  username: "alice",
  kind: "oidc",
  clientId: "mail",
  clientIp: "192.0.2.1",
  userAgent: "browser",
  acceptLanguage: "de",
  device: "",
  hidesOutcome: false,
} as const;
const accepted = {
  outcome: "ok",
  account: "alice@example.test",
  accountField: "uid",
  totpSecretField: "",
  backend: 8,
  attributes: { displayName: ["Alice", "A."], mail: ["alice@example.test"] },
  memoryCache: "miss",
} as const;

function engineThat(answers: unknown) {
  const requests: AuthRequest[] = [];
  const decide = async (request: AuthRequest): Promise<AuthDecision> => {
    requests.push(request);
    return Object(answers);
  };
  return { requests, ...createEngineCalls(decide, true) };
}

const outcomeFor = (answers: unknown) =>
  engineThat(answers).checkPassword({ ...attempt, password: new Secret("x") }, context);

test("the engine receives the password, the client address and the client, and must not use its caches", async () => {
  const { requests, checkPassword } = engineThat(accepted);
  await checkPassword({ ...attempt, password: new Secret("right") }, context);
  expect(requests).toEqual([
    expect.objectContaining({
      operation: "authenticate",
      username: "alice",
      password: "right",
      clientIp: "192.0.2.1",
      oidcClientId: "mail",
      memoryCache: false,
      sharedCache: false,
    }),
  ]);
  expect(requests[0]).not.toHaveProperty("hidesOutcome");
});

test("unknown fields are omitted, not sent empty; hidesOutcome is sent if the outcome must be hidden", async () => {
  const { requests, checkPassword } = engineThat(accepted);
  const bare = { ...attempt, clientIp: "", clientId: undefined, userAgent: undefined, acceptLanguage: undefined };
  await checkPassword({ ...bare, hidesOutcome: true, password: new Secret("x") }, context);
  expect(requests[0]).toMatchObject({ hidesOutcome: true });
  for (const name of ["clientIp", "oidcClientId", "userAgent", "acceptLanguage"])
    expect(requests[0]).not.toHaveProperty(name);
});

test("the account of a passkey is looked up without a password", async () => {
  const { requests, lookUp } = engineThat(accepted);
  expect(await lookUp(attempt, context)).toMatchObject({ outcome: "ok" });
  expect(requests[0]).not.toHaveProperty("password");
  expect(requests[0]?.operation).not.toBe("authenticate");
});

test("a success contains the account name from the backend, and a delay only if the engine requests one", async () => {
  expect(await outcomeFor(accepted)).toMatchObject({
    user: { account: "alice@example.test", displayName: "Alice" },
    holdMs: 0,
  });
  expect(await outcomeFor({ ...accepted, holdMs: 700 })).toMatchObject({ outcome: "ok", holdMs: 700 });
});

test.each([
  ["a wrong password", { outcome: "fail", reason: "wrong_password", holdMs: 300 }, { isBlocked: false, holdMs: 300 }],
  [
    "the failure that caused a ban",
    { outcome: "fail", reason: "wrong_password", retryAfterSeconds: 60 },
    { isBlocked: true, retryAfterSeconds: 60 },
  ],
  [
    "a ban",
    { outcome: "blocked", rule: "wide", retryAfterSeconds: 60 },
    { isBlocked: true, reason: "blocked", rule: "wide", holdMs: 0 },
  ],
  [
    "a ban from an older engine",
    { outcome: "blocked", rule: "wide" },
    { isBlocked: true, retryAfterSeconds: undefined },
  ],
])("%s is a denial", async (_what, decision, denial) => {
  expect(await outcomeFor(decision)).toMatchObject({ outcome: "denied", ...denial });
});

test("a temporary failure throws with the engine's error code and is never a denial", async () => {
  const undecided = outcomeFor({ outcome: "tempfail", code: "LDAP_UNAVAILABLE", message: "" });
  await expect(undecided).rejects.toThrow(EngineUndecided);
  await expect(undecided).rejects.toMatchObject({ engineCode: "LDAP_UNAVAILABLE" });
});

test("an empty mapped identifier is kept, because it differs from a missing mapping: the account has no subject", async () => {
  const account = { ...accepted, account: "a", attributes: {} };
  const user = { account: "a", attributes: {}, backend: 8 };
  expect(await outcomeFor({ ...account, uniqueUserId: "" })).toMatchObject({ user: { ...user, uniqueUserId: "" } });
  expect(await outcomeFor(account)).toEqual({ outcome: "ok", account: "a", user, holdMs: 0 });
});
