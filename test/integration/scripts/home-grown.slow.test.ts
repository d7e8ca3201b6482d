import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  authenticate,
  mfaAppPasswordCreate,
  mfaAppPasswordRevoke,
  mfaAppPasswordsList,
  mfaFactorsRead,
  mfaRecoveryCodeRedeem,
  mfaRecoveryCodesSet,
  mfaTotpDelete,
  mfaTotpSet,
  mfaWebauthnDelete,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
} from "@postern/shared/contracts";
import { type DatabaseServer, spawnMariadb } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAccounts, wholeBody } from "../../support/ask-accounts.ts";
import { askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { makeBus, soon } from "../bus/bus-fixture.ts";

const examples = join(import.meta.dirname, "../../../docs/operate/scripts/examples");
const salt = Buffer.from("pepper-and-salt!");

function stored(password: string): string {
  const digest = createHash("sha256").update(password).update(salt).digest();
  return `{SSHA256}${Buffer.concat([digest, salt]).toString("base64")}`;
}

const rows = `
INSERT INTO people VALUES ('alice', '${stored("alice-password")}', 0), ('gone', '${stored("gone-password")}', 1);
INSERT INTO mailboxes VALUES ('alice@example.test', 'alice'), ('sales@example.test', 'alice');
`;
const target = { session: "home-grown", username: "Alice" };
const login = (username: string, password: string, protocol = "imap") => ({
  username,
  password,
  protocol,
  client_ip: "203.0.113.9",
});

describe("users in MariaDB with a site's own schema, by the example of the guide", () => {
  let owned: AsyncDisposableStack;
  let stack: Stack;
  let database: DatabaseServer;
  let bus: Awaited<ReturnType<typeof makeBus>>;

  beforeAll(async () => {
    await using starting = new AsyncDisposableStack();
    database = starting.use(await spawnMariadb({ sql: readFileSync(join(examples, "sql-users.sql"), "utf8") + rows }));
    const { port, user, password, database: name } = database;
    stack = starting.use(
      await startStack({
        shape: "five",
        engines: 2,
        settings: { runtime: { timeouts: { decision: "5s", sql_query: "3s" } } },
        backends: {
          order: ["lua"],
          sql: { default: { driver: "mysql", server: [`127.0.0.1:${port}`], database: name, user, password } },
          lua: {
            // 0 is the default bound.
            backend: {
              default: {
                backend_script_path: join(examples, "sql-users.lua"),
                mfa: { enabled: true },
                queue_length: 0,
              },
            },
          },
        },
      }),
    );
    bus = await makeBus(stack.nats.url, { namespace: "postern" });
    starting.defer(() => bus.close());
    owned = starting.move();
  });
  afterAll(() => owned.disposeAsync());

  test("right and wrong passwords, disabled and unknown users", async () => {
    const right = await askJson(stack.url, login("ALICE", "alice-password"));
    expect([right.status, JSON.parse(right.body)]).toMatchObject([
      200,
      {
        backend: 3,
        account_field: "login",
        attributes: { mail: ["alice@example.test", "sales@example.test"], login: ["alice"] },
      },
    ]);
    const refused = [login("alice", "wrong"), login("gone", "gone-password"), login("nobody", "x")];
    const answers = await Promise.all(refused.map((one) => askJson(stack.url, one)));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    // Text of the user stays a value.
    expect((await askJson(stack.url, login("alice'OR'1'='1", "alice-password"))).status).toBe(403);
  });

  test("accounts are listed", async () => {
    expect(JSON.parse(String(await wholeBody(await askAccounts(stack.url, { accept: "application/json" }))))).toEqual([
      "alice",
    ]);
  });

  test("TOTP secrets and WebAuthn credentials are written, replaced once and deleted", async () => {
    expect(await bus.request(mfaTotpSet, { ...target, secret: "jbsw y3dp ehpk 3pxp" }, soon())).toEqual({
      outcome: "ok",
    });
    const old = JSON.stringify({ id: "AQID", publicKey: "AQID", name: "grün", signCount: 1 });
    const holder = { session: "home-grown", username: "nobody", credentialId: "AQID" };
    const next = JSON.stringify({ id: "AQID", publicKey: "AQID", name: "grün", signCount: 2 });
    expect(await bus.request(mfaWebauthnSave, { ...target, credential: old }, soon())).toEqual({ outcome: "ok" });
    expect(await bus.request(mfaFactorsRead, { ...target, secrets: true }, soon())).toMatchObject({
      outcome: "ok",
      account: "alice",
      totpSecret: "JBSWY3DPEHPK3PXP",
      webauthnCredentials: [old],
    });
    // The account is found by the id of its passkey, and by its name.
    for (const username of ["nobody", "alice", "sales@example.test"]) {
      expect(await bus.request(mfaFactorsRead, { ...holder, username }, soon())).toMatchObject({ account: "alice" });
      const other = await bus.request(mfaFactorsRead, { ...holder, username, credentialId: "AQIE" }, soon());
      expect(other).toEqual({ outcome: "unknown_user" });
    }
    const updates = await Promise.all(
      Array.from({ length: 8 }, () =>
        bus.request(mfaWebauthnUpdate, { ...target, credential: next, oldCredential: old }, soon()),
      ),
    );
    expect(updates.filter(({ outcome }) => outcome === "ok")).toHaveLength(1);
    expect(await bus.request(mfaWebauthnDelete, { ...target, credential: next }, soon())).toEqual({ outcome: "ok" });
    expect(await bus.request(mfaTotpDelete, target, soon())).toEqual({ outcome: "ok" });
    expect(await bus.request(mfaFactorsRead, target, soon())).toMatchObject({
      hasTotp: false,
      webauthnCredentials: [],
    });
  });

  test("of many simultaneous requests to redeem one recovery code at two engines, one succeeds", async () => {
    await bus.request(mfaRecoveryCodesSet, { ...target, codes: ["ABCD-2345", "EFGH-6789"] }, soon());
    const redeemed = await Promise.all(
      Array.from({ length: 10 }, () =>
        bus.request(mfaRecoveryCodeRedeem, { ...target, code: "abcd2345" }, soon(10_000)),
      ),
    );
    expect(redeemed.filter(({ outcome }) => outcome === "ok")).toHaveLength(1);
    expect(await bus.request(mfaFactorsRead, target, soon())).toMatchObject({ recoveryCodesLeft: 1 });
  });

  test("an app password is accepted for its protocols until it is revoked", async () => {
    const created = await bus.request(mfaAppPasswordCreate, { ...target, label: "phone", protocols: ["imap"] }, soon());
    if (created.outcome !== "ok") throw new Error(created.outcome);
    const by = (protocol: string) =>
      bus.request(
        authenticate,
        {
          session: "home-grown",
          operation: "authenticate",
          dialect: "json",
          username: "alice",
          password: created.password,
          protocol,
          tls: false,
          memoryCache: false,
          sharedCache: false,
        },
        soon(),
      );
    expect(await by("imap")).toMatchObject({ outcome: "ok" });
    expect((await by("smtp")).outcome).toBe("fail");
    expect(await bus.request(mfaAppPasswordsList, target, soon())).toMatchObject({
      outcome: "ok",
      appPasswords: [{ label: "phone", protocols: ["imap"] }],
    });
    const { id } = created.appPassword;
    expect(await bus.request(mfaAppPasswordRevoke, { ...target, id }, soon())).toEqual({ outcome: "ok" });
    expect((await by("imap")).outcome).toBe("fail");
  });

  test("a user who is unknown to the script has no second factors", async () => {
    const reply = await bus.request(mfaFactorsRead, { ...target, username: "nobody" }, soon());
    expect(reply).toEqual({ outcome: "unknown_user" });
  });

  test("a database that hangs or is stopped is a temporary failure, never a wrong password", async () => {
    await database.pause();
    expect((await askJson(stack.url, login("alice", "wrong"))).status).toBe(500);
    await database.resume();
    await database.kill();
    expect((await askJson(stack.url, login("alice", "wrong"))).status).toBe(500);
  });
});
