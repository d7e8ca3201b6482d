import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { mfaFactorsRead, mfaRecoveryCodeRedeem } from "@postern/shared/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { askJson } from "../../support/ask-json.ts";
import { type CallersStack, startCallersStack } from "../../support/callers-stack.ts";
import { isTree, merged } from "../../support/stack-config.ts";
import { makeBus, soon } from "../bus/bus-fixture.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const basic = `Basic ${Buffer.from("backchannel:demo-backchannel-secret").toString("base64")}`;
const alice = "alice@example.test";
const publicKey = "pQECAyYgASFYIA==";
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** `auth.backends` of the demo, with its database in this file. */
function demoBackends(file: string): object {
  const demo: unknown = parse(readFileSync(join(root, "config/demo.yaml"), "utf8"));
  const { auth } = isTree(demo) ? demo : {};
  const backends = isTree(auth) && isTree(auth["backends"]) ? auth["backends"] : {};
  const places = { default: { file, seed_file: join(root, "config/demo-directory.sql") } };
  return merged(backends, { order: ["sql"], sql: places });
}

let stack: CallersStack;
let databaseFile = "";
let bus: Awaited<ReturnType<typeof makeBus>>;

beforeAll(async () => {
  stack = await startCallersStack({
    shape: "five",
    backends: (folder) => {
      databaseFile = join(folder, "directory.sqlite");
      return demoBackends(databaseFile);
    },
  });
  bus = await makeBus(stack.nats.url, { namespace: "postern" });
});

afterAll(async () => {
  await bus.close();
  await stack[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function send(method: string, path: string, fields: unknown = {}, authorization = basic): Promise<Answer> {
  const isQuery = method === "GET";
  const query = isQuery ? `?${new URLSearchParams(Object.entries(Object(fields)))}` : "";
  const response = await fetch(`${stack.url}/api/v1/mfa-backchannel/${path}${query}`, {
    method,
    headers: { authorization, ...(isQuery ? {} : { "content-type": "application/json" }) },
    ...(isQuery ? {} : { body: typeof fields === "string" ? fields : JSON.stringify(fields) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

const ok: Answer = { status: 200, body: { status: "ok" } };
const refused = (error: string): Answer => ({ status: 400, body: { error } });
const factors = (username: string) => bus.request(mfaFactorsRead, { session: "test", username, secrets: true }, soon());

describe("TOTP and recovery codes", () => {
  test("a secret is set and deleted, and deleting a missing one succeeds too", async () => {
    expect(await send("POST", "totp", { username: alice, totp_secret: secret })).toEqual(ok);
    expect(await factors(alice)).toMatchObject({ hasTotp: true, totpSecret: secret });
    expect(await send("DELETE", "totp", { username: alice, backend: "" })).toEqual(ok);
    expect(await send("DELETE", "totp", { username: alice, backend: "sql", backend_name: "default" })).toEqual(ok);
    expect(await factors(alice)).toMatchObject({ hasTotp: false });
  });

  test("new codes replace the earlier ones", async () => {
    const codes = ["AAAA-2222", "BBBB-3333"];
    expect(await send("POST", "totp/recovery-codes", { username: alice, codes: ["CCCC-4444"] })).toEqual(ok);
    expect(await send("POST", "totp/recovery-codes", { username: alice, codes })).toEqual(ok);
    const redeem = (code: string) =>
      bus.request(mfaRecoveryCodeRedeem, { session: "test", username: alice, code }, soon());
    expect(await redeem("cccc4444")).toEqual({ outcome: "rejected" });
    expect(await redeem("aaaa2222")).toEqual({ outcome: "ok", left: 1 });
    expect(await send("DELETE", "totp/recovery-codes", { username: alice })).toEqual(ok);
    expect(await factors(alice)).toMatchObject({ recoveryCodesLeft: 0 });
  });

  test("the demo's users have the second factors that README lists", async () => {
    expect(await factors("bob@example.test")).toMatchObject({ hasTotp: true, totpSecret: "JBSWY3DPEHPK3PXP" });
    expect(await factors("carol@example.test")).toMatchObject({ recoveryCodesLeft: 3, appPasswords: 1 });
    const request = { session: "test", username: "carol@example.test", code: "CARL-2345" };
    const replies = await Promise.all([1, 2, 3].map(() => bus.request(mfaRecoveryCodeRedeem, request, soon(10_000))));
    expect(replies.filter(({ outcome }) => outcome === "ok")).toHaveLength(1);
    const password = "app-careed-emeapp-asswer-dferca-reprgj";
    const logIn = (protocol: string) =>
      askJson(stack.url, { username: "carol@example.test", password, protocol, client_ip: "203.0.113.7" });
    expect([(await logIn("imap")).status, (await logIn("pop3")).status]).toEqual([200, 403]);
  });
});

test("if the database refuses one of several codes, the answer is 500 and all earlier codes remain", async () => {
  const path = "totp/recovery-codes";
  expect(await send("POST", path, { username: alice, codes: ["DDDD-2222", "EEEE-3333"] })).toEqual(ok);
  using database = new DatabaseSync(databaseFile, { timeout: 10_000 });
  database.exec(`CREATE TRIGGER full BEFORE INSERT ON postern_recovery_codes
    WHEN (SELECT count(*) FROM postern_recovery_codes WHERE account = NEW.account) >= 2
    BEGIN SELECT RAISE(ABORT, 'planted'); END`);
  const answer = await send("POST", path, { username: alice, codes: ["FFFF-2222", "GGGG-3333", "HHHH-4444"] });
  expect(answer).toEqual({ status: 500, body: { error: expect.stringMatching(/temporary/i) } });
  database.exec("DROP TRIGGER full");
  const redeem = async (code: string) =>
    (await bus.request(mfaRecoveryCodeRedeem, { session: "test", username: alice, code }, soon())).outcome;
  expect(await redeem("ffff2222")).toBe("rejected");
  expect([await redeem("dddd2222"), await redeem("eeee3333")]).toEqual(["ok", "ok"]);
});

describe("WebAuthn credentials", () => {
  const path = "webauthn/credential";
  const old = JSON.stringify({ id: "AQID", publicKey, authenticator: { signCount: 1 }, name: 'a "key"' });
  const next = JSON.stringify({ id: "AQID", publicKey, authenticator: { signCount: 2 } });

  test("are saved, listed byte for byte, compared and set, deleted", async () => {
    const user = { username: alice };
    expect(await send("GET", path, user)).toEqual({ status: 200, body: { credentials: [] } });
    expect(await send("POST", path, { ...user, credential: old })).toEqual(ok);
    expect(await send("POST", path, { ...user, credential: next })).toEqual(refused("the credential already exists"));
    expect(await send("GET", path, { ...user, backend: "sql" })).toEqual({ status: 200, body: { credentials: [old] } });
    expect(await send("PUT", path, { ...user, credential: next, old_credential: old })).toEqual(ok);
    expect(await send("PUT", path, { ...user, credential: next, old_credential: old })).toEqual(
      refused("old_credential does not exist"),
    );
    expect(await send("DELETE", path, { ...user, credential: next })).toEqual(ok);
    expect(await send("DELETE", path, { ...user, credential: next })).toEqual(ok);
  });
});

describe("rejected WebAuthn credentials", () => {
  const path = "webauthn/credential";
  const user = { username: alice };

  test.each([
    ["{}", "the credential has no id"],
    ['{"id":5}', /credential's id/],
    ['{"id":""}', /credential's id/],
    ['{"id":"not base64!"}', /credential's id/],
    ['{"id":"AQIDBA"}', "the credential has no publicKey"],
    ['{"id":"AQID","publicKey":""}', /credential's publicKey/],
    ['{"id":"AQID","publicKey":null}', /credential's publicKey/],
    ['{"id":"AQID","publicKey":7}', /credential's publicKey/],
    ['{"id":"A","publicKey":"AQID"}', "the credential's id or publicKey is invalid"],
    ['{"id":"AQID","publicKey":"A"}', "the credential's id or publicKey is invalid"],
    ['{"id":"AQID","publicKey":"AQID","publicKey":"AQID"}', "the credential has a duplicate member"],
    ['{"id":"AQID","publicKey":"AQID","flags":{"a":1,"\\u0061":2}}', "the credential has a duplicate member"],
    ['{"id":"AQID","publicKey":"AQID","signCount":-1}', /credential's signCount/],
    ['{"id":"AQID","publicKey":"AQID","authenticator":[]}', /credential's authenticator/],
  ])("%s", async (credential, reason) => {
    const error: unknown = typeof reason === "string" ? reason : expect.stringMatching(reason);
    const rejected = { status: 400, body: { error } };
    expect(await send("POST", path, { ...user, credential })).toEqual(rejected);
    expect(await send("PUT", path, { ...user, credential, old_credential: "{}" })).toEqual(rejected);
  });

  test("a stored credential that could not sign in can be replaced and removed", async () => {
    using database = new DatabaseSync(databaseFile);
    const insert = database.prepare("INSERT INTO postern_webauthn VALUES (?, ?)");
    const [broken, twice] = ['{"id":"AQIDBA"}', '{"id":"AQIDBQ","id":"AQIDBQ"}'];
    for (const credential of [broken, twice]) insert.run(alice, credential);
    const whole = JSON.stringify({ id: "AQIDBA", publicKey });
    expect(await send("PUT", path, { ...user, credential: whole, old_credential: broken })).toEqual(ok);
    for (const credential of [whole, twice]) expect(await send("DELETE", path, { ...user, credential })).toEqual(ok);
    expect(await send("GET", path, user)).toEqual({ status: 200, body: { credentials: [] } });
  });

  test("credentials of other products are accepted, including unknown members", async () => {
    const credential = JSON.stringify({
      id: "YWJjZA==",
      publicKey: "pQECAyYgASFYIA==",
      attestationType: "none",
      transport: null,
      flags: { userPresent: true },
      authenticator: { AAGUID: "AAAA", signCount: 0, cloneWarning: false, attachment: "" },
      rawId: "whatever",
    });
    expect(await send("POST", path, { ...user, credential })).toEqual(ok);
    expect(await send("DELETE", path, { ...user, credential })).toEqual(ok);
  });

  test("a credential whose id another account holds, in any spelling, added or as a replacement", async () => {
    const [mine, theirs] = [
      JSON.stringify({ id: "-_-_AQ", publicKey }),
      JSON.stringify({ id: "+/+/AQ==", publicKey, name: "x" }),
    ];
    const other = JSON.stringify({ id: "b3RoZXI", publicKey });
    const bob = { username: "bob@example.test" };
    const held = { status: 400, body: { error: "another account holds this credential" } };
    expect(await send("POST", path, { ...user, credential: mine })).toEqual(ok);
    expect(await send("POST", path, { ...bob, credential: theirs })).toEqual(held);
    expect(await send("POST", path, { ...bob, credential: other })).toEqual(ok);
    expect(await send("PUT", path, { ...bob, credential: theirs, old_credential: other })).toEqual(held);
    expect(await send("DELETE", path, { ...bob, credential: other })).toEqual(ok);
    expect(await send("DELETE", path, { ...user, credential: mine })).toEqual(ok);
  });

  test("of two accounts that add the same credential simultaneously, at most one keeps it", async () => {
    const credential = JSON.stringify({ id: "cmFjZQ", publicKey });
    const names = [alice, "bob@example.test", "carol@example.test"];
    await Promise.all(names.map((username) => send("POST", path, { username, credential })));
    const lists = await Promise.all(names.map((username) => send("GET", path, { username })));
    const holders = lists.filter(({ body }) => JSON.stringify(body).includes("cmFjZQ"));
    expect(holders.length).toBeLessThanOrEqual(1);
    await Promise.all(names.map((username) => send("DELETE", path, { username, credential })));
  });
});

describe("answers 400 with the reason", () => {
  test.each([
    ["POST", "totp", { username: alice }, /^invalid payload: totp_secret: is missing$/],
    ["POST", "totp", { totp_secret: secret }, /^invalid payload: username: is missing$/],
    ["POST", "totp", { username: alice, totp_secret: "no base32!" }, /base32/],
    ["POST", "totp", '{"username": "alice", "totp_secret": SECRET-OF-A-USER', "Invalid JSON payload"],
    [
      "POST",
      "totp/recovery-codes",
      { username: alice, codes: [] },
      /^invalid payload: codes: must be a list of 1 to \d+ entries$/,
    ],
    [
      "POST",
      "totp/recovery-codes",
      { username: alice, codes: [1] },
      /^invalid payload: codes\.1: must be a string of 1 to 128 characters$/,
    ],
    ["DELETE", "totp", {}, /^invalid payload: username: is missing$/],
    ["DELETE", "lock", { username: "" }, /^invalid payload: username: must be a string of 1 to 1024 characters$/],
    ["DELETE", "totp", { username: "unknown" }, "unknown user"],
    ["DELETE", "totp", { username: alice, backend: "redis" }, "unsupported backend"],
    ["DELETE", "totp", { username: alice, backend: "ldap" }, "unsupported backend"],
    ["DELETE", "totp", { username: alice, backend_name: "other" }, "unsupported backend"],
    ["GET", "webauthn/credential", {}, /^invalid payload: username: is missing$/],
    ["POST", "webauthn/credential", { username: alice }, /^invalid payload: credential: is missing$/],
    ["POST", "webauthn/credential", { username: alice, credential: "[1]" }, "the credential must be a JSON object"],
    [
      "PUT",
      "webauthn/credential",
      { username: alice, credential: "{}" },
      /^invalid payload: old_credential: is missing$/,
    ],
  ])("%s %s %j", async (method, path, fields, error) => {
    const answer = await send(method, path, fields);
    expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(error) } });
  });
});

describe("Bearer callers need the scope of the route", () => {
  const rows: readonly (readonly [string, string, object, string])[] = [
    ["DELETE", "totp", { username: alice }, "mfa_write"],
    ["DELETE", "totp/recovery-codes", { username: alice }, "mfa_write"],
    ["GET", "webauthn/credential", { username: alice }, "webauthn_read"],
    ["DELETE", "webauthn/credential", { username: alice, credential: "{}" }, "webauthn_write"],
  ];
  const words = ["authenticate", "security", "mfa_write", "webauthn_read", "webauthn_write", "admin"];

  test.each(rows)("%s %s", async (method, path, fields, needed) => {
    for (const word of words) {
      const token = await stack.issuer.token({ scope: `service:authenticate service:${word}` });
      const { status } = await send(method, path, fields, `Bearer ${token}`);
      expect.soft([word, status]).toEqual([word, word === needed || word === "admin" ? 200 : 403]);
    }
  });
});

test("no secret is in any log", () => {
  const logs = stack.services.map((service) => service.output()).join("\n");
  expect(logs).toContain("set_totp");
  for (const text of [secret, "AAAA-2222", "aaaa2222", "JBSWY3DPEHPK3PXP", "CARL-2345", "SECRET-OF-A-USER", "AQID"])
    expect(logs).not.toContain(text);
});

test("without an engine it is a temporary failure: 500 {error}", async () => {
  await stack.services[0]?.stop();
  expect(await send("POST", "totp", { username: alice, totp_secret: secret })).toEqual({
    status: 500,
    body: { error: expect.stringMatching(/temporary/i) },
  });
});
