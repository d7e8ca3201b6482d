import { createSecretKey } from "node:crypto";
import type { AuthRequest } from "@postern/shared/contracts";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { createKeyedDigest, type Secret } from "@postern/shared/platform/crypto";
import { steadyClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import type { Backend } from "../backends/backend.ts";
import type { MfaAccount } from "../backends/second-factor-store.ts";
import { createMasterUsers } from "../master-user/master-users.ts";
import { attemptOf } from "../pipeline/attempt.ts";
import { stepDeps } from "../pipeline/testing/step-deps.ts";
import type { Facts } from "../pipeline.ts";
import { decide } from "../pipeline.ts";
import { makeAppPassword } from "../second-factors/app-passwords.ts";
import { createShadow } from "./shadow.ts";

const own = makeAppPassword();
const foreign = makeAppPassword();
const token = "a-token-of-the-identity-provider";

const request: AuthRequest = {
  session: "7d3f",
  operation: "authenticate",
  dialect: "json",
  username: "alice",
  password: "right",
  protocol: "imap",
  tls: true,
  memoryCache: true,
  sharedCache: true,
};

const unused = async (): Promise<never> => {
  throw new Error("not part of a sign-in");
};
const named = (account: string) => ({ account, accountField: "uid", totpSecretField: "", attributes: {} });
const factors: MfaAccount = {
  account: "alice",
  supports: new Set(["app_passwords"]),
  readFactors: unused,
  replaceTotpSecret: unused,
  replaceRecoveryCodes: unused,
  removeRecoveryCode: unused,
  addWebauthnCredential: unused,
  replaceWebauthnCredential: unused,
  removeWebauthnCredential: unused,
  listAppPasswords: async () => [{ id: "1", digest: own.digest, label: "phone", protocols: [], createdAt: 0 }],
  addAppPassword: unused,
  removeAppPassword: unused,
  touchAppPassword: unused,
};

/** Knows every name, the password `right`, and one app password; records the passwords that it gets. */
function createBackend() {
  const passwords: string[] = [];
  const isRight = (password: Secret): boolean => passwords.push(password.reveal()) > 0 && password.reveal() === "right";
  const backend: Backend = {
    kind: "ldap",
    name: "directory",
    mfa: {
      findAccount: async () => ({ kind: "ok", account: factors, isDisabled: false }),
      pretendAccount: async () => undefined,
      findHolders: unused,
    },
    verify: async ({ username }, password) =>
      isRight(password) ? { kind: "ok", account: named(username) } : { kind: "wrong_password", account: username },
    lookup: async ({ username }) => ({ kind: "ok", account: named(username) }),
    listAccounts: unused,
    endListing: () => undefined,
    spendVerification: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
  return { backend, passwords };
}

const masterUsers = createMasterUsers(
  {
    parse: (username) => {
      const [user = "", masterUser] = username.split("*");
      return masterUser === undefined ? undefined : { user, masterUser };
    },
    users: ["master"],
  },
  { record: () => undefined },
);

const checkMailToken = async ({ credential }: { readonly credential: string }) =>
  credential === token ? { username: "alice", signedInAt: 0 } : undefined;

/** What the pipeline decides, and the passwords that the backends of a shadow for all passwords get then. */
async function signIn(change: Partial<AuthRequest>) {
  const [deciding, shadowed] = [createBackend(), createBackend()];
  const facts: Facts = {};
  const attempt = attemptOf({ ...request, ...change }, masterUsers);
  const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal, facts };
  const deps = stepDeps({ backends: [deciding.backend], masterUsers, checkMailToken, isShadowed: true });
  const decision = await decide(attempt, context, deps);
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const shadow = createShadow({
    seenFrom: (_domain, backend) => backend,
    settings: {
      backends: [],
      share: 1,
      protocols: new Set(),
      domains: new Set(),
      passwords: "all",
      comparesSecondFactors: false,
      secretFields: [],
      ignoredAttributes: new Set(),
      timeoutMs: 60_000,
      concurrency: 1,
      maxQueued: 1,
    },
    backends: [shadowed.backend],
    deciding: () => [],
    releasable: createAttributeFilter([]),
    ignored: new Set(),
    digest: createKeyedDigest(createSecretKey(Buffer.alloc(32))),
    clock: steadyClock,
    random: () => 0,
    onCompared: () => resolve(),
    onOmitted: () => resolve(),
    onCloseFailure: () => undefined,
  });
  shadow.offer(attempt, decision, facts);
  return { outcome: decision.outcome, deciding, shadowed, done, shadow };
}

test("passwords reach a shadow for all passwords, right and wrong ones", async () => {
  for (const password of ["right", "wrong"]) {
    const { shadowed, done, shadow } = await signIn({ password });
    await done;
    expect(shadowed.passwords).toEqual([password]);
    await shadow.close();
  }
});

test.each<[name: string, outcome: string, change: Partial<AuthRequest>]>([
  ["an app password", "ok", { password: own.password }],
  ["an app password of somebody else", "fail", { password: foreign.password }],
  ["an access token", "ok", { method: "oauthbearer", password: token }],
  ["a token that is not valid", "fail", { method: "xoauth2", password: "another-token" }],
  ["the password of a master user", "ok", { username: "alice*master" }],
  ["a wrong password of a master user", "fail", { username: "alice*master", password: "wrong" }],
])("%s never reaches a shadow, although it is decided: %s", async (_name, outcome, change) => {
  const { outcome: decided, shadowed, shadow } = await signIn(change);
  expect(decided).toBe(outcome);
  // What is compared is a look-up, and some sign-ins are not compared at all.
  await new Promise((resolve) => setImmediate(resolve));
  expect(shadowed.passwords).toEqual([]);
  await shadow.close();
});
