import { createSecretKey, randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { maxAppPasswords, maxWebauthnCredentials, mfaAppPasswordsList } from "@postern/shared/contracts";
import { createDecoys, createPasswordVerifier, createWorkGate } from "@postern/shared/domain/passwords";
import { createKeyedDigest, createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { systemClock } from "@postern/shared/platform/time";
import { scratchFolder } from "@postern/testing";
import { Value } from "typebox/value";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Backend } from "../backends/backend.ts";
import { forEveryName } from "../backends/backends-by-name.ts";
import { seedDatabase } from "../backends/sql/seed.ts";
import { createSqlBackend } from "../backends/sql/sql-backend.ts";
import type { SqlSearchSettings } from "../backends/sql/sql-settings.ts";
import { createSqliteClient } from "../backends/sql/sqlite-client.ts";
import { attemptOf } from "../pipeline/attempt.ts";
import type { StepContext } from "../pipeline/step.ts";
import { stepDeps } from "../pipeline/testing/step-deps.ts";
import { type AppPasswordOutcome, createAppPasswords, createAppPasswordUses } from "./app-passwords.ts";
import { createSecondFactors } from "./second-factors.ts";
import { verifyAppPassword } from "./verify-app-password.ts";

const seedFile = fileURLToPath(new URL("../../../../config/demo-directory.sql", import.meta.url));
const alice = { session: "7d3f", username: "alice@example.test" };
const carol = { session: "7d3f", username: "carol@example.test" };
const carolsPassword = "app-careed-emeapp-asswer-dferca-reprgj";

const search: SqlSearchSettings = {
  protocols: ["*"],
  userQuery: "SELECT username AS account, password, uid, NOT enabled AS disabled FROM users WHERE username = :username",
  accountField: "account",
  passwordColumn: "password",
  totpSecretField: "",
  disabledColumn: "disabled",
  uniqueUserIdField: "uid",
  attributes: ["uid"],
  mfa: {
    tablePrefix: "postern_",
    statements: {
      totp_read: "SELECT totp_secret FROM users WHERE username = :account",
      totp_write: "UPDATE users SET totp_secret = :secret WHERE username = :account",
      totp_delete: "UPDATE users SET totp_secret = NULL WHERE username = :account",
    },
  },
};

let stack: AsyncDisposableStack;
let backend: Backend;
let file: string;

function open(searches: readonly SqlSearchSettings[]): Backend {
  const settings = { name: "sql", searches };
  const client = createSqliteClient({ file, busyTimeoutMs: 1000 });
  const passwords = createPasswordVerifier({ concurrency: 1, maxQueued: 4 });
  const digest = createKeyedDigest(createSecretKey(Buffer.from("a key of the test")));
  const decoys = createDecoys(digest, []);
  stack.defer(() => passwords.close());
  const sqlBackend = createSqlBackend({
    settings,
    client,
    passwords,
    decoys,
  });
  stack.defer(() => sqlBackend.close());
  return sqlBackend;
}

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const { path } = stack.use(await scratchFolder());
  file = join(path, "directory.sqlite");
  await seedDatabase({ file, seedFile, waitMs: 5000 });
  backend = open([search]);
});

afterEach(() => stack.disposeAsync());

const context = () => ({ deadline: Date.now() + 10_000, signal: new AbortController().signal });

/** Two engines, each with its own connection. */
function engine(of: Backend = backend) {
  const backends = forEveryName([of]);
  const ring = createKeyRing([new Secret("a-secret-of-the-ring")], "mfa-artefact");
  const hashing = createWorkGate(1, 16);
  return {
    factors: createSecondFactors(backends, ring, hashing),
    apps: createAppPasswords(backends, systemClock),
  };
}

/** The site's own statements for credentials. */
const withFind = (webauthn_find: string): SqlSearchSettings => ({
  ...search,
  mfa: {
    tablePrefix: "postern_",
    statements: {
      ...search.mfa?.statements,
      webauthn_add: "INSERT INTO postern_webauthn (account, credential) VALUES (:account, :credential)",
      webauthn_find,
    },
  },
});

describe("second factors in SQLite", () => {
  test("the demo's users have the second factors that the README lists", async () => {
    const { factors } = engine();
    const bob = { session: "7d3f", username: "bob@example.test", secrets: true };
    expect(await factors.readFactors(bob, context())).toMatchObject({ hasTotp: true, totpSecret: "JBSWY3DPEHPK3PXP" });
    expect(await factors.readFactors(carol, context())).toMatchObject({ recoveryCodesLeft: 3, appPasswords: 1 });
    expect(await factors.readFactors(alice, context())).toMatchObject({
      hasTotp: false,
      recoveryCodesLeft: 0,
      appPasswords: 0,
    });
  });

  test("a TOTP secret is sealed in the table", async () => {
    const { factors } = engine();
    await factors.setTotp({ ...alice, secret: "JBSWY3DPEHPK3PXP" }, context());
    const stored = await backend.mfa?.findAccount({ username: alice.username }, context());
    if (stored?.kind !== "ok") throw new Error("no account");
    expect((await stored.account.readFactors(context())).totpSecret).not.toContain("JBSWY3DPEHPK3PXP");
    expect(await factors.readFactors({ ...alice, secrets: true }, context())).toMatchObject({
      totpSecret: "JBSWY3DPEHPK3PXP",
    });
  });

  test("an unhashed recovery code that is used at two engines is redeemed once", async () => {
    const engines = [engine(), engine(open([search]))];
    const request = { ...carol, code: "carl 2345" };
    const replies = await Promise.all(engines.map(({ factors }) => factors.redeemRecoveryCode(request, context())));
    expect(replies.map(({ outcome }) => outcome).toSorted()).toEqual(["ok", "rejected"]);
  });

  test("two engines that add credentials with one id concurrently never both succeed", async () => {
    const engines = [engine(), engine(open([search]))];
    for (let round = 0; round < 10; round += 1) {
      const id = randomBytes(8).toString("base64url");
      const saved = engines.map(({ factors }, name) =>
        factors.saveWebauthn({ ...alice, credential: JSON.stringify({ id, publicKey: "AQID", name }) }, context()),
      );
      const done = (await Promise.all(saved)).filter(({ outcome }) => outcome === "ok");
      const listed = await engine().factors.listWebauthn(alice, context());
      const known = listed.outcome === "ok" ? listed.credentials.filter((text) => text.includes(id)) : [];
      expect(done.length).toBeLessThanOrEqual(1);
      expect(known).toHaveLength(done.length);
    }
  });

  test("concurrent additions never exceed the limits", async () => {
    const engines = [engine(), engine(open([search]))];
    const at = (index: number) => engines[index % 2] ?? engine();
    const credentials = Array.from({ length: maxWebauthnCredentials + 8 }, (_, index) =>
      at(index).factors.saveWebauthn(
        { ...alice, credential: JSON.stringify({ id: `k${index}`, publicKey: "AQID" }) },
        context(),
      ),
    );
    const passwords = Array.from({ length: maxAppPasswords + 8 }, (_, index) =>
      at(index).apps.createAppPassword({ ...alice, label: `phone ${index}`, protocols: [] }, context()),
    );
    await Promise.all([...credentials, ...passwords]);
    const factors = await engine().factors.readFactors(alice, context());
    if (factors.outcome !== "ok") throw new Error(factors.outcome);
    expect(factors.webauthnCredentials.length).toBeLessThanOrEqual(maxWebauthnCredentials);
    expect(factors.appPasswords).toBeLessThanOrEqual(maxAppPasswords);
  });

  test.each([
    ["", "-"],
    ["x".repeat(64), "x".repeat(64)],
    ["x".repeat(65), `${"x".repeat(63)}…`],
    [`${"x".repeat(62)}🔑🔑`, `${"x".repeat(62)}…`],
  ])(
    "an app password with the label %j is listed as %j, in a reply that every service accepts",
    async (label, listed) => {
      const found = await backend.mfa?.findAccount({ username: alice.username }, context());
      if (found?.kind !== "ok") throw new Error("no account");
      const stored = { id: "0123456789abcdef", digest: "d", label, protocols: [], createdAt: 1, lastUsedAt: undefined };
      await found.account.addAppPassword(stored, context());
      const reply = await engine().apps.listAppPasswords(alice, context());
      expect(reply).toMatchObject({ outcome: "ok", appPasswords: [{ id: stored.id, label: listed }] });
      expect(Value.Check(mfaAppPasswordsList.reply, reply)).toBe(true);
    },
  );

  test("a site's own webauthn_find returns the holder of a credential and may use only :pattern", async () => {
    const ofSite = "SELECT account, credential FROM postern_webauthn WHERE credential LIKE :pattern";
    const { factors } = engine(open([withFind(ofSite)]));
    const credential = JSON.stringify({ id: randomBytes(8).toString("base64url"), publicKey: "AQID" });
    expect(await factors.saveWebauthn({ ...alice, credential }, context())).toEqual({ outcome: "ok" });
    expect(await factors.saveWebauthn({ ...carol, credential }, context())).toEqual({
      outcome: "invalid",
      detail: "another account holds this credential",
    });
    expect(() => open([withFind(`${ofSite} AND account = :account`)])).toThrow(/webauthn_find.*:account/);
    expect(() => open([withFind("SELECT account, credential FROM postern_webauthn")])).toThrow(
      /webauthn_find.*:pattern/,
    );
  });

  test("a statement with an unknown parameter is rejected at startup", () => {
    const statements = { ...search.mfa?.statements, totp_write: "UPDATE users SET totp_secret = :secrett" };
    expect(() => open([{ ...search, mfa: { tablePrefix: "postern_", statements } }])).toThrow(/totp_write.*:secrett/);
    expect(() => open([{ ...search, upgradePasswordQuery: "UPDATE users SET password = :pasword" }])).toThrow(
      /:pasword/,
    );
  });
});

const uses = createAppPasswordUses(systemClock, () => undefined);
const checks: AppPasswordOutcome[] = [];

const logIn = (password: string, { protocol = "imap", username = carol.username, backends = [backend] } = {}) => {
  const stepContext: StepContext = { ...context(), facts: {} };
  const attempt = attemptOf({
    session: "7d3f",
    operation: "authenticate",
    dialect: "json",
    username,
    password,
    protocol,
    tls: true,
    memoryCache: false,
    sharedCache: false,
  });
  const parts = stepDeps({
    backends,
    appPasswordUses: uses,
    appPasswordChecked: (outcome: AppPasswordOutcome) => checks.push(outcome),
  });
  return Promise.resolve(verifyAppPassword.run(attempt, stepContext, parts));
};

describe("the step for app passwords", () => {
  test("an app password of the account is accepted for its protocols, with the account's attributes", async () => {
    expect(await logIn(carolsPassword)).toMatchObject({ outcome: "ok", attributes: { uid: ["carol"] } });
    expect(await logIn(carolsPassword.toUpperCase(), { protocol: "smtp" })).toMatchObject({ outcome: "ok" });
  });

  test("an app password for another protocol or account is a wrong password; any other password is left to the next step", async () => {
    const wrong = { outcome: "fail", reason: "wrong_password" };
    expect(await logIn(carolsPassword, { protocol: "pop3" })).toMatchObject(wrong);
    expect(await logIn(carolsPassword, { username: alice.username })).toMatchObject(wrong);
    expect(await logIn(carolsPassword, { username: "nobody" })).toMatchObject({ reason: "unknown_user" });
    expect(await logIn("carol-demo-password")).toBeUndefined();
    expect(await logIn(carolsPassword.replace("careed", "careee"))).toBeUndefined();
  });

  test("each check of an app password is counted by its result, and other passwords are not counted", async () => {
    const away = open([search]);
    await away.close();
    checks.length = 0;
    await logIn(carolsPassword);
    await logIn(carolsPassword, { protocol: "pop3" });
    await logIn(carolsPassword, { username: "nobody" });
    await logIn("carol-demo-password");
    await logIn(carolsPassword, { backends: [away] }).catch(() => undefined);
    expect(checks).toEqual(["ok", "wrong", "wrong", "unavailable"]);
  });

  test("the use of an app password is recorded", async () => {
    await logIn(carolsPassword);
    await uses.settled();
    expect(await engine().apps.listAppPasswords(carol, context())).toMatchObject({
      appPasswords: [{ lastUsedAt: expect.any(Number) }],
    });
  });

  test("a revoked app password is a wrong password immediately", async () => {
    expect(await engine().apps.revokeAppPassword({ ...carol, id: "ca401ca401ca4010" }, context())).toEqual({
      outcome: "ok",
    });
    expect(await logIn(carolsPassword)).toMatchObject({ outcome: "fail", reason: "wrong_password" });
  });

  test("an attempt is not denied while an earlier backend is unavailable", async () => {
    const backends = [open([search]), backend];
    await backends[0]?.close();
    await expect(logIn(carolsPassword, { username: alice.username, backends })).rejects.toThrow("SHUTTING_DOWN");
    expect(await logIn(carolsPassword, { backends: [backend] })).toMatchObject({ outcome: "ok" });
  });
});
