import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { type AccountReportDeps, createReportAccount } from "./account-report.ts";

const secret = "JBSWY3DPEHPK3PXP";
const credential = JSON.stringify({
  id: "AQID",
  publicKey: "c2VjcmV0",
  name: "blue key",
  created: "2030-05-06T13:52:10Z",
});

const answering: AccountReportDeps = {
  describe: async () => ({
    backends: [{ name: "sql", outcome: "found", account: "alice@example.test", stores: ["totp"] }],
  }),
  readFactors: async () => ({
    outcome: "ok",
    account: "alice@example.test",
    backend: 8,
    backendName: "sql",
    hasTotp: true,
    totpSecret: secret,
    recoveryCodesLeft: 2,
    webauthnCredentials: [credential, "no JSON"],
    appPasswords: 1,
  }),
  listAppPasswords: async () => ({
    outcome: "ok",
    appPasswords: [{ id: "0123456789abcdef", label: "phone", protocols: ["imap"], createdAt: 1_900_000_000 }],
  }),
  factorLocks: { read: async () => ({ totp: 3 }) },
  rememberedDevices: undefined,
  changes: {
    list: async () => [{ timeMs: 1_900_000_000_000, event: "second_factor.add", reason: "totp", by: "user" }],
  },
  judgeLostPhone: async (account) => (account === "alice@example.test" ? "possible" : "unknown"),
  sent: {
    list: async () => [
      { id: "n1", event: "new_device", channel: "mail", outcome: "delivered", timeMs: 1_900_000_000_000 },
    ],
  },
};

const report = (deps: Partial<AccountReportDeps> = {}) =>
  createReportAccount({ ...answering, ...deps })({ account: "alice" }, "session");

test("the report has what the services know, and no secret", async () => {
  const found = await report();
  expect(found).toMatchObject({
    query: "alice",
    account: "alice@example.test",
    lost_phone: "possible",
    protocol: "imap",
    factors: {
      totp: true,
      recovery_codes_left: 2,
      wrong_codes: { totp: 3 },
      passkeys: [
        { id: "AQID", name: "blue key", created: "2030-05-06T13:52:10.000Z" },
        { id: "", name: "" },
      ],
    },
    app_passwords: [{ id: "0123456789abcdef", label: "phone", created: "2030-03-17T17:46:40.000Z" }],
    notifications: [{ event: "new_device", time: "2030-03-17T17:46:40.000Z" }],
    incomplete: [],
  });
  expect(JSON.stringify(found)).not.toContain(secret);
  expect(JSON.stringify(found)).not.toContain("publicKey");
});

const silent = () => Promise.reject(new AppError("ENGINE_SILENT"));

test("a source that does not answer is listed, and the rest of the report remains", async () => {
  const found = await report({
    describe: silent,
    listAppPasswords: silent,
    factorLocks: { read: silent },
    judgeLostPhone: silent,
  });
  expect(found).toMatchObject({ account: "alice@example.test", factors: { totp: true }, backends: [] });
  expect(found.incomplete).toEqual([
    "the engines could not be queried",
    "app passwords could not be read",
    "counts of wrong codes could not be read",
    "whether a lost-phone code can be created could not be determined",
  ]);
  const nothing = await report({ describe: silent, readFactors: silent, listAppPasswords: silent });
  expect(nothing.factors).toBeUndefined();
  expect(nothing.account).toBeUndefined();
});

test("an account whose backend stores no second factors has the name that the backend says", async () => {
  const found = await report({ readFactors: async () => ({ outcome: "unsupported" }), sent: undefined });
  expect(found).toMatchObject({ account: "alice@example.test" });
  expect(found.factors).toBeUndefined();
  expect([found.incomplete, found.sends_notifications]).toEqual([[], false]);
});
