import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { AppError } from "@postern/shared/platform/errors";
import { systemClock as clock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import type { Backend, LookupOutcome } from "./backend.ts";
import { forEveryName } from "./backends-by-name.ts";
import { createDescribeAccount } from "./describe-account.ts";
import type { FindOutcome, MfaAccount } from "./second-factor-store.ts";

const unused = (): never => {
  throw new Error("not asked");
};

function mfaAccount(account: string): MfaAccount {
  return {
    account,
    supports: new Set(["totp", "app_passwords"]),
    readFactors: unused,
    replaceTotpSecret: unused,
    replaceRecoveryCodes: unused,
    removeRecoveryCode: unused,
    addWebauthnCredential: unused,
    replaceWebauthnCredential: unused,
    removeWebauthnCredential: unused,
    listAppPasswords: unused,
    addAppPassword: unused,
    removeAppPassword: unused,
    touchAppPassword: unused,
  };
}

interface BackendMethods {
  readonly lookup: () => Promise<LookupOutcome>;
  readonly find?: () => Promise<FindOutcome>;
}

function backend(name: string, { lookup, find }: BackendMethods): Backend {
  return {
    kind: "test",
    name,
    lookup,
    ...(find && { mfa: { findAccount: find, findHolders: unused, pretendAccount: unused } }),
    verify: unused,
    listAccounts: unused,
    endListing: unused,
    spendVerification: unused,
    check: unused,
    close: unused,
  };
}

const found = (attributes: Record<string, string[]>) => async (): Promise<LookupOutcome> => ({
  kind: "ok",
  account: {
    account: "alice@example.test",
    accountField: "mail",
    totpSecretField: "otp",
    attributes,
    groups: ["support"],
  },
});
const unknown = async (): Promise<LookupOutcome> => ({ kind: "unknown_user" });
const stored =
  (isDisabled: boolean): NonNullable<BackendMethods["find"]> =>
  async () => ({ kind: "ok", account: mfaAccount("alice@example.test"), isDisabled });

async function described(backends: readonly Backend[], waitMs = 20_000) {
  const describe = createDescribeAccount(forEveryName(backends), createAttributeFilter(["pin"]), clock);
  const context = { deadline: clock.now() + waitMs, signal: new AbortController().signal };
  return (await describe({ username: "alice", protocol: "imap" }, context)).backends;
}

test("every backend answers for itself, in their order, even after one that does not answer", async () => {
  const backends = [
    backend("ldap", { lookup: () => Promise.reject(new AppError("DIRECTORY_UNAVAILABLE")) }),
    backend("sql", { lookup: found({ mail: ["alice@example.test"] }), find: stored(false) }),
    backend("old", { lookup: async () => ({ kind: "not_served" }) }),
    backend("new", { lookup: unknown, find: async () => ({ kind: "unknown_user" }) }),
  ];
  expect(await described(backends)).toEqual([
    { name: "ldap", outcome: "unavailable", code: "DIRECTORY_UNAVAILABLE", stores: [] },
    {
      name: "sql",
      outcome: "found",
      account: "alice@example.test",
      account_field: "mail",
      attributes: { mail: ["alice@example.test"] },
      groups: ["support"],
      stores: ["totp", "app_passwords"],
    },
    { name: "old", outcome: "not_served", stores: [] },
    { name: "new", outcome: "unknown_user", stores: [] },
  ]);
});

test("a disabled account is not an unknown one", async () => {
  const [one] = await described([backend("sql", { lookup: unknown, find: stored(true) })]);
  expect(one).toMatchObject({ outcome: "disabled", account: "alice@example.test" });
});

test("an account is disabled too if the backend stores no second factors", async () => {
  const [one] = await described([backend("sql", { lookup: async () => ({ kind: "unknown_user", isDisabled: true }) })]);
  expect(one).toEqual({ name: "sql", outcome: "disabled", stores: [] });
});

test("attributes with secrets are left out, and the others are bounded", async () => {
  const many = Object.fromEntries(Array.from({ length: 80 }, (_none, index) => [`a${index}`, ["x"]]));
  const secrets = { otp: ["s"], pin: ["s"], userPassword: ["s"], mfa_secret: ["s"] };
  const long = { long: Array.from({ length: 30 }, () => "y".repeat(1000)) };
  const [one] = await described([backend("sql", { lookup: found({ ...secrets, ...long, ...many }) })]);
  const { attributes = {} } = one ?? {};
  expect(Object.keys(attributes)).toHaveLength(50);
  expect(JSON.stringify(attributes)).not.toContain('"s"');
  expect(attributes["long"]).toEqual(Array.from({ length: 10 }, () => "y".repeat(256)));
});

test("a backend that hangs does not keep the answers of the others", async () => {
  const hung = backend("hung", {
    lookup: () => new Promise(() => undefined),
  });
  const [, other] = await described([hung, backend("sql", { lookup: unknown })], 200);
  expect(other).toMatchObject({ name: "sql", outcome: "unknown_user" });
});
