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
import { type DatabaseServer, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAccounts, wholeBody } from "../../support/ask-accounts.ts";
import { askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { type StallableProxy, startStallableProxy } from "../../support/stallable-proxy.ts";
import { makeBus, soon } from "../bus/bus-fixture.ts";
import { sites } from "./site.ts";

const alice = {
  username: "alice@example.test",
  password: "alice-old-password",
  protocol: "imap",
  client_ip: "203.0.113.9",
};
const target = { session: "mfa-test", username: alice.username };
const appForm = /^app(-[a-z2-9]{6}){5}$/;

describe.each(sites)("$name", ({ start, statements, backends, isUpgrading }) => {
  let database: DatabaseServer;
  let proxy: StallableProxy;
  let stack: Stack;
  let bus: Awaited<ReturnType<typeof makeBus>>;

  const status = async (change: object): Promise<number> => (await askJson(stack.url, { ...alice, ...change })).status;
  const ask = (change: object) => bus.request(mfaFactorsRead, { ...target, ...change }, soon());
  const recovered = () => poll("right logins again", async () => (await status({})) === 200);

  beforeAll(async () => {
    database = await start();
    proxy = await startStallableProxy(database.port);
    stack = await startStack({
      shape: "five",
      engines: 2,
      backends: backends(database, proxy.port),
      // Without the memory cache, which would answer while the database is unavailable.
      settings: { runtime: { timeouts: { decision: "2s" } }, auth: { pipeline: { local_cache_ttl: "0s" } } },
    });
    bus = await makeBus(stack.nats.url, { namespace: "postern" });
  });

  afterAll(async () => {
    await bus.close();
    await stack[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  test("the example's queries accept permitted users and release the configured columns", async () => {
    const answer = await askJson(stack.url, alice);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({
      ok: true,
      backend: 8,
      attributes: { name: ["Alice"], quota: ["1048576"], account: ["alice@example.test"] },
    });
    expect(await status({ password: "wrong" })).toBe(403);
    expect(await status({ username: "off@example.test" })).toBe(403);
    expect(await status({ username: "nobody@example.test" })).toBe(403);
    expect(await Promise.all(stack.engines.map((engine) => engine.readiness()))).toEqual([200, 200]);
  });

  test("a name with SQL syntax is a value and finds no user", async () => {
    const names = [
      "'OR'1'='1",
      "alice@example.test'--",
      "alice@example.test\\",
      "\\'OR/**/1=1#",
      '"OR""="',
      "$1",
      ":username",
      "x';DROP/**/TABLE/**/mailbox;--",
      "%",
      "alice@example.test' OR '1'='1",
    ];
    const baseRequest = {
      session: "injection",
      operation: "authenticate" as const,
      dialect: "json" as const,
      tls: false,
      memoryCache: false,
      sharedCache: false,
    };
    // Over the bus, because the gateway limits such requests.
    for (const username of names) {
      const request = { ...baseRequest, username, password: "' OR '1'='1", protocol: "imap" };
      expect
        .soft([username, await bus.request(authenticate, request, soon())])
        .toMatchObject([username, { outcome: "fail", reason: "unknown_user" }]);
    }
    for (const protocol of ["imap' OR '1'='1", "x\\", "*"]) {
      const request = { ...baseRequest, username: alice.username, password: "' OR '1'='1", protocol };
      expect(await bus.request(authenticate, request, soon())).toMatchObject({
        outcome: "fail",
        reason: "wrong_password",
      });
    }
    expect(await status({})).toBe(200);
  });

  test("the example's query lists all accounts, each once", async () => {
    const body = String(await wholeBody(await askAccounts(stack.url, { accept: "text/plain" })));
    expect(body.split(/\s+/).filter((line) => line === alice.username)).toHaveLength(1);
    expect(body).not.toContain("off@example.test");
  });

  test("a login with an old hash replaces it by a better one if the example allows it", async () => {
    expect(await status({})).toBe(200);
    if (isUpgrading) {
      await poll("the new hash to be stored", () =>
        /UPDATE mailbox SET password = \$1[^]*\{ARGON2ID\}/.test(database.output()),
      );
    }
    expect([await status({}), await status({ password: "wrong" })]).toEqual([200, 403]);
  });

  test("TOTP and WebAuthn: set, read, compare and set, delete", async () => {
    expect(await bus.request(mfaTotpSet, { ...target, secret: "jbsw y3dp ehpk 3pxp" }, soon())).toEqual({
      outcome: "ok",
    });
    const old = JSON.stringify({ id: "AQID", publicKey: "AQID", signCount: 1, name: 'k\'s \\ "é" key' });
    const next = JSON.stringify({ id: "AQID", publicKey: "AQID", signCount: 2 });
    expect(await bus.request(mfaWebauthnSave, { ...target, credential: old }, soon())).toEqual({ outcome: "ok" });
    expect(await bus.request(mfaWebauthnSave, { ...target, credential: next }, soon())).toEqual({ outcome: "exists" });
    const read = await bus.request(mfaFactorsRead, { ...target, secrets: true }, soon());
    expect(read).toMatchObject({ hasTotp: true, totpSecret: "JBSWY3DPEHPK3PXP", webauthnCredentials: [old] });
    const updates = await Promise.all(
      Array.from({ length: 6 }, () =>
        bus.request(mfaWebauthnUpdate, { ...target, credential: next, oldCredential: old }, soon()),
      ),
    );
    expect(updates.filter(({ outcome }) => outcome === "ok")).toHaveLength(1);
    expect(await bus.request(mfaWebauthnDelete, { ...target, credential: old }, soon())).toEqual({ outcome: "absent" });
    expect(await bus.request(mfaWebauthnDelete, { ...target, credential: next }, soon())).toEqual({ outcome: "ok" });
    expect(await bus.request(mfaTotpDelete, target, soon())).toEqual({ outcome: "ok" });
    expect(await bus.request(mfaFactorsRead, target, soon())).toMatchObject({
      hasTotp: false,
      webauthnCredentials: [],
    });
  });

  test("one recovery code is redeemed once in parallel requests at two engines", async () => {
    await bus.request(mfaRecoveryCodesSet, { ...target, codes: ["ABCD-2345", "EFGH-6789"] }, soon());
    const replies = await Promise.all(
      Array.from({ length: 12 }, () =>
        bus.request(mfaRecoveryCodeRedeem, { ...target, code: "abcd2345" }, soon(10_000)),
      ),
    );
    expect(replies.filter(({ outcome }) => outcome === "ok")).toHaveLength(1);
    expect(replies.filter(({ outcome }) => outcome === "rejected")).toHaveLength(11);
    expect(await bus.request(mfaFactorsRead, target, soon())).toMatchObject({ recoveryCodesLeft: 1 });
  });

  test("if the database is killed between two statements of a change, all earlier codes remain", async () => {
    const insertions = () =>
      statements(database).match(/execute.{1,20}INSERT INTO postern_recovery_codes/giu)?.length ?? 0;
    await bus.request(mfaRecoveryCodesSet, { ...target, codes: ["JKLM-2345", "NPQR-6789"] }, soon());
    const before = insertions();
    const codes = ["STUV-2345", "WXYZ-6789", "ABAB-2345"];
    const change = bus.request(mfaRecoveryCodesSet, { ...target, codes }, soon()).catch((error: unknown) => error);
    await poll("the last code to be received", () => insertions() >= before + codes.length);
    await database.kill();
    expect(await change).toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
    await database.start();
    await recovered();
    // Either engine may still have a connection of the killed server.
    const redeem = (code: string) =>
      poll("an answer of the database", async () => {
        const answer = bus.request(mfaRecoveryCodeRedeem, { ...target, code }, soon());
        return answer.then(
          ({ outcome }) => outcome,
          (error: unknown) => (Object(error).code === "DIRECTORY_UNAVAILABLE" ? undefined : Promise.reject(error)),
        );
      });
    for (const code of codes) expect([code, await redeem(code)]).toEqual([code, "rejected"]);
    for (const code of ["JKLM-2345", "NPQR-6789"]) expect([code, await redeem(code)]).toEqual([code, "ok"]);
  });

  test("an app password signs in for its protocols only, until it is revoked", async () => {
    const created = await bus.request(mfaAppPasswordCreate, { ...target, label: "phone", protocols: ["imap"] }, soon());
    if (created.outcome !== "ok") throw new Error(created.outcome);
    expect(created.password).toMatch(appForm);
    expect(await status({ password: created.password })).toBe(200);
    expect(await status({ password: created.password, protocol: "smtp" })).toBe(403);
    expect(await status({ password: created.password, username: "off@example.test" })).toBe(403);
    await poll("the last use to be recorded", async () => {
      const listed = await bus.request(mfaAppPasswordsList, target, soon());
      return listed.outcome === "ok" && listed.appPasswords[0]?.lastUsedAt !== undefined;
    });
    const { id } = created.appPassword;
    expect(await bus.request(mfaAppPasswordRevoke, { ...target, id }, soon())).toEqual({ outcome: "ok" });
    expect(await status({ password: created.password })).toBe(403);
  });

  test("an unknown user is reported as a result, not an error", async () => {
    expect(await ask({ username: "nobody" })).toEqual({ outcome: "unknown_user" });
    expect(await ask({ backend: "plugin" })).toEqual({ outcome: "unknown_backend" });
    expect(await ask({ backend: "sql", backendName: "other" })).toEqual({ outcome: "unknown_backend" });
    expect(await ask({ backend: "sql", backendName: "default" })).toMatchObject({ outcome: "ok" });
  });
});
