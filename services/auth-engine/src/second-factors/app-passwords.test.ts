import { expect, test } from "vitest";
import type { MfaAccount, StoredAppPassword } from "../backends/second-factor-store.ts";
import { matchAppPassword } from "./app-passwords.ts";

const digest = "d".repeat(64);
const context = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

const no = (): never => {
  throw new Error("not asked for here");
};

function accountWith(protocols: readonly string[]): MfaAccount {
  const stored: StoredAppPassword = { id: "a", digest, label: "phone", protocols, createdAt: 0, lastUsedAt: undefined };
  return {
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
    listAppPasswords: async () => [stored],
    addAppPassword: no,
    removeAppPassword: no,
    touchAppPassword: no,
  };
}

test.each([
  [["imap"], true],
  [["IMAP"], true],
  [["smtp", "Imap"], true],
  [[], true],
  [["smtp"], false],
])("an app password for %j may be used with imap: %s", async (protocols, expected) => {
  const found = await matchAppPassword(accountWith(protocols), { digest, protocol: "imap" }, context);
  expect(found !== undefined).toBe(expected);
});
