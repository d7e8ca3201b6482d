import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createLostPhone, type LostPhoneDeps } from "./create-lost-phone-code.ts";

const bob = "bob@example.test";

const found = {
  outcome: "ok",
  account: bob,
  backend: 8,
  accountField: "account",
  totpSecretField: "",
  memoryCache: "miss",
} as const;

interface Site {
  /** What does not answer. */
  readonly silent?: string;
  readonly isOffered?: boolean;
  readonly accounts?: readonly string[];
  readonly isComplete?: boolean;
  readonly role?: string;
  /** Whether anyone gets the notification. */
  readonly isSent?: boolean;
}

function site(options: Site = {}) {
  const { silent = "", isOffered = true, accounts = [bob], isComplete = true, role = "user", isSent = true } = options;
  const done: string[] = [];
  const answer = async <Reply>(name: string, reply: Reply): Promise<Reply> => {
    done.push(name);
    if (name === silent) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "silent" });
    return reply;
  };
  const deps: LostPhoneDeps = {
    codes: isOffered
      ? {
          issue: async (account) => {
            done.push(`code for ${account}`);
            return { code: "AAAA-BBBB-CCCC-DDDD", expiresMs: 0 };
          },
        }
      : undefined,
    accountNames: async () => ({ accounts, isComplete, isDenied: false, spellings: [] }),
    decide: () => answer("lookup", { ...found, attributes: { uid: [role] } }),
    readFactors: () =>
      answer("factors", {
        outcome: "ok",
        account: bob,
        backend: 8,
        backendName: "sql",
        hasTotp: true,
        recoveryCodesLeft: 0,
        webauthnCredentials: [],
        appPasswords: 0,
      }),
    notify: () => answer("notification", { isSent }),
    readRight: async ({ attributes }) =>
      attributes["uid"]?.includes("helen") === true ? { role: "helpdesk" } : undefined,
    suspensions: { read: async () => undefined },
    isDoubted: async () => false,
  };
  const { createLostPhoneCode: create, judgeLostPhone: judge } = createLostPhone(deps);
  return { create, judge, done };
}

test("the user is notified before there is a code", async () => {
  const { create, done } = site();
  expect(await create(bob, "s")).toEqual({
    account: bob,
    code: "AAAA-BBBB-CCCC-DDDD",
    expires: "1970-01-01T00:00:00.000Z",
  });
  expect(done.slice(-2)).toEqual(["notification", `code for ${bob}`]);
});

test.each([
  ["an engine", "lookup"],
  ["the backend of the factors", "factors"],
  ["the identity provider, as one of an earlier version", "notification"],
])("there is no code if %s does not answer", async (_who, silent) => {
  const { create, done } = site({ silent });
  await expect(create(bob, "s")).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
  expect(done).not.toContain(`code for ${bob}`);
});

test("there is no code if nobody can be notified of it", async () => {
  const { create, done } = site({ isSent: false });
  expect(await create(bob, "s")).toBe("unreachable");
  expect(done).not.toContain(`code for ${bob}`);
});

test("there is no code if a backend that may have the account does not answer", async () => {
  const { create, done } = site({ accounts: [], isComplete: false });
  await expect(create(bob, "s")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(done).toEqual([]);
});

test.each([
  ["disabled", { isOffered: false }],
  ["unknown", { accounts: [] }],
  ["unknown", { accounts: [bob, "robert@example.test"] }],
  ["operator", { role: "helen" }],
])("%s is a refusal", async (refusal, options) => {
  const { create, judge, done } = site(options);
  expect([await judge(bob, "s"), await create(bob, "s")]).toEqual([refusal, refusal]);
  expect(done).not.toContain("notification");
});

test("that a code is possible is known without a notification and without a code", async () => {
  const { judge, done } = site();
  expect(await judge(bob, "s")).toBe("possible");
  expect(done).toEqual(["lookup", "lookup", "factors"]);
  await expect(site({ silent: "factors" }).judge(bob, "s")).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
});
