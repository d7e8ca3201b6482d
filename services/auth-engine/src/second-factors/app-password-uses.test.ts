import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import type { MfaAccount, StoredAppPassword } from "../backends/second-factor-store.ts";
import { type AppPasswordUseResult, createAppPasswordUses } from "./app-passwords.ts";

const hour = 3600;
const appPassword: StoredAppPassword = {
  id: "a",
  digest: "d",
  label: "phone",
  protocols: [],
  createdAt: 0,
  lastUsedAt: undefined,
};
const now = 10 * hour;

const no = (): never => {
  throw new AppError("INTERNAL");
};

/** A backend whose writes complete when the test completes them. */
function hangingAccount() {
  const touched: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const account: MfaAccount = {
    account: "carol",
    displayName: undefined,
    uniqueUserId: undefined,
    supports: new Set(["app_passwords"]),
    readFactors: no,
    replaceTotpSecret: no,
    replaceRecoveryCodes: no,
    removeRecoveryCode: no,
    addWebauthnCredential: no,
    replaceWebauthnCredential: no,
    removeWebauthnCredential: no,
    listAppPasswords: no,
    addAppPassword: no,
    removeAppPassword: no,
    touchAppPassword: async (_id, at) => {
      touched.push(at);
      await promise;
    },
  };
  return { account, touched, end: resolve, fail: reject };
}

const makeUses = (onResult: (result: AppPasswordUseResult, error?: unknown) => void = () => undefined) =>
  createAppPasswordUses({ now: () => now * 1000 }, onResult);

test("a use is recorded at most once an hour", async () => {
  const { account, touched, end } = hangingAccount();
  const uses = makeUses();
  for (const lastUsedAt of [undefined, now - hour, now - hour + 1, now])
    uses.recordUse(account, { ...appPassword, lastUsedAt });
  end();
  await uses.settled();
  expect(touched).toEqual([now, now]);
});

test("settled waits for the writes in progress and resolves even if one fails", async () => {
  const { account, fail } = hangingAccount();
  const results: unknown[] = [];
  const uses = makeUses((...result) => results.push(result));
  uses.recordUse(account, appPassword);
  let isSettled = false;
  const settled = uses.settled().then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  const refusal = new AppError("DIRECTORY_UNAVAILABLE");
  fail(refusal);
  await settled;
  // The callback still receives the error.
  expect(results).toEqual([["failed", refusal]]);
  expect(isSettled).toBe(true);
});

test("the number of writes to a backend that hangs is bounded", async () => {
  const { account, touched, end } = hangingAccount();
  const results: string[] = [];
  const uses = makeUses((result) => results.push(result));
  for (let count = 0; count < 100; count += 1) uses.recordUse(account, appPassword);
  expect(touched).toHaveLength(64);
  end();
  await uses.settled();
  expect([results.filter((result) => result === "dropped").length, results.length]).toEqual([36, 100]);
  uses.recordUse(account, appPassword);
  expect(touched).toHaveLength(65);
});
