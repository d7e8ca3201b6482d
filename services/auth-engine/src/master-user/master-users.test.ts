import type { AuthRequest } from "@postern/shared/contracts";
import type { AuditRecord } from "@postern/shared/domain/audit";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import type { Backend } from "../backends/backend.ts";
import { attemptOf } from "../pipeline/attempt.ts";
import { stepDeps } from "../pipeline/testing/step-deps.ts";
import { decide, type StepDeps } from "../pipeline.ts";
import { createMasterUsers } from "./master-users.ts";

const request: AuthRequest = {
  session: "7d3f",
  operation: "authenticate",
  dialect: "json",
  username: "alice*master",
  password: "right",
  protocol: "imap",
  tls: true,
  memoryCache: true,
  sharedCache: true,
};

function account(name: string) {
  return { account: name, accountField: "uid", totpSecretField: "", attributes: { uid: [name] } };
}

/** Knows alice and the master, whose password is "right". */
function backend(lookupFails = false): Backend & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    kind: "test",
    name: "d",
    calls,
    verify: async ({ username }, password) => {
      calls.push(`verify ${username}`);
      if (username !== "master") return { kind: "unknown_user" };
      return password.reveal() === "right" ? { kind: "ok", account: account("master") } : { kind: "wrong_password" };
    },
    lookup: async ({ username }) => {
      calls.push(`lookup ${username}`);
      if (lookupFails) throw new AppError("DIRECTORY_UNAVAILABLE");
      return username === "alice" ? { kind: "ok", account: account("alice") } : { kind: "unknown_user" };
    },
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification: async () => void calls.push("spend"),
    check: async () => undefined,
    close: async () => undefined,
  };
}

function parse(username: string) {
  const [user = "", masterUser] = username.split("*");
  return masterUser === undefined ? undefined : { user, masterUser };
}

interface Settings {
  readonly lookupFails?: boolean;
  readonly deps?: Partial<Omit<StepDeps, "backends">>;
}

function ask(change: Partial<AuthRequest> = {}, { lookupFails = false, deps = {} }: Settings = {}) {
  const one = backend(lookupFails);
  const events: AuditRecord[] = [];
  const masterUsers = createMasterUsers({ parse, users: ["master"] }, { record: (event) => events.push(event) });
  const facts = {};
  const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal, facts };
  const decision = decide(
    attemptOf({ ...request, ...change }, masterUsers),
    context,
    stepDeps({ backends: [one], masterUsers, ...deps }),
  );
  return { decision, calls: one.calls, events };
}

test("the master's password is verified, then the user is looked up", async () => {
  const { decision, calls, events } = ask();
  expect(await decision).toMatchObject({ outcome: "ok", account: "alice" });
  expect(calls).toEqual(["verify master", "lookup alice"]);
  expect(events).toEqual([expect.objectContaining({ actor: "master", target: "alice", outcome: "ok" })]);
});

test("after a wrong master password, the engine does not look up the user", async () => {
  const { decision, calls, events } = ask({ password: "wrong" });
  expect(await decision).toMatchObject({ outcome: "fail", reason: "wrong_password" });
  expect(calls).toEqual(["verify master"]);
  expect(events).toEqual([expect.objectContaining({ outcome: "denied" })]);
});

test("an unavailable backend is not a denial, and the attempt is recorded", async () => {
  const { decision, events } = ask({}, { lookupFails: true });
  await expect(decision).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(events).toEqual([expect.objectContaining({ outcome: "undecided" })]);
});

/** The network is banned between the first check and the verification of the password. */
const bannedMeanwhile = () => {
  const found: object[] = [{}, { rule: "imap" }];
  return { check: async () => found.shift(), determineDelay: async () => undefined };
};

test.each(["master", "alice"])(
  "where %s is suspended, a password in a network that was banned meanwhile is answered with the ban",
  async (account) => {
    const find = (name: string) => (name === account ? { account, sinceMs: 0, by: "ada", session: "g" } : undefined);
    const suspensions = {
      find,
      isAny: () => true,
      isUndecidable: () => false,
      refused: () => undefined,
      defaultMessage: () => ({}),
    };
    const denied = ask({}, { deps: { suspensions } });
    expect(await denied.decision).toMatchObject({ outcome: "fail", reason: "account_suspended" });
    const banned = ask({}, { deps: { suspensions, bruteForce: Object(bannedMeanwhile()) } });
    expect(await banned.decision).toMatchObject({ outcome: "blocked", rule: "imap" });
  },
);

test("a token is not sent to a backend as the master user's password", async () => {
  const { decision, calls } = ask({ method: "xoauth2" });
  expect(await decision).toMatchObject({ outcome: "fail", reason: "method_not_enabled" });
  expect(calls).toEqual([]);
});

test.each([{ dialect: "jwt" }, { username: "alice*other" }, { username: "alice" }] as const)(
  "%j is an ordinary login",
  async (change) => {
    const { calls, decision } = ask(change);
    expect(await decision).toMatchObject({ outcome: "fail", reason: "unknown_user" });
    expect(calls).toEqual([`verify ${"username" in change ? change.username : request.username}`, "spend"]);
  },
);

test("a lookup uses the name unchanged", async () => {
  const { calls, decision } = ask({ operation: "lookup" });
  expect(await decision).toMatchObject({ outcome: "fail" });
  expect(calls).toEqual(["lookup alice*master"]);
});
