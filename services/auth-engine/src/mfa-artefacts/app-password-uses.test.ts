import { AppError } from "@postern/shared/errors";
import { expect, test } from "vitest";
import { type AppPasswordUseResult, createAppPasswordUses } from "./app-password-uses.ts";
import type { MfaAccount, StoredAppPassword } from "./mfa-artefacts.ts";

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

/** A directory whose writes end when the test says so. */
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
  createAppPasswordUses({ clock: { now: () => now * 1000 }, onResult });

test("a use is news once an hour", async () => {
  const { account, touched, end } = hangingAccount();
  const uses = makeUses();
  for (const lastUsedAt of [undefined, now - hour, now - hour + 1, now])
    uses.note(account, { ...appPassword, lastUsedAt });
  end();
  await uses.settled();
  expect(touched).toEqual([now, now]);
});

test("settled waits for what is being written, and a refusal is nobody's failure", async () => {
  const { account, fail } = hangingAccount();
  const told: unknown[] = [];
  const uses = makeUses((...result) => told.push(result));
  uses.note(account, appPassword);
  let isSettled = false;
  const settled = uses.settled().then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  const refusal = new AppError("DIRECTORY_UNAVAILABLE");
  fail(refusal);
  await settled;
  // It is told all the same.
  expect(told).toEqual([["failed", refusal]]);
  expect(isSettled).toBe(true);
});

test("a directory that hangs does not collect writes without bound", async () => {
  const { account, touched, end } = hangingAccount();
  const told: string[] = [];
  const uses = makeUses((result) => told.push(result));
  for (let count = 0; count < 100; count += 1) uses.note(account, appPassword);
  expect(touched).toHaveLength(64);
  end();
  await uses.settled();
  expect([told.filter((result) => result === "dropped").length, told.length]).toEqual([36, 100]);
  uses.note(account, appPassword);
  expect(touched).toHaveLength(65);
});
