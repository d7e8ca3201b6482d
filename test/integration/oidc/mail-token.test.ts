import type { RedisClient } from "@postern/shared/platform/redis";
import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { askInTurn, relyingParty } from "../../support/relying-party.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";

const scopes = ["openid", "email", "imap"];

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;

const rules = { redirect_uris: [callback], scopes, skip_consent: true };
const clients = [
  { ...rules, client_id: "mail", client_secret: "mail-secret" },
  { ...rules, client_id: "other", client_secret: "other-secret" },
  {
    ...rules,
    client_id: "typed",
    client_secret: "typed-secret",
    access_token_type: "jwt",
    access_token_typ: "JWT",
  },
];
const removed = { ...rules, client_id: "removed", client_secret: "removed-secret", access_token_type: "jwt" };

beforeAll(async () => {
  oidc = await startOidcStack(
    [...clients, removed],
    { custom_scopes: [{ name: "imap", description: "Mail" }], scopes_supported: scopes },
    {
      engines: 2,
      oauthbearer: { audience: ["mail", "typed", "removed"], required_scope: ["imap"] },
      more: redisGivenUpSoon,
    },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, alice.username)).split("=");
  browser.cookies.set(name, sid);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

async function tokenOf(client: string, scope = scopes.join(" ")): Promise<string> {
  const party = relyingParty(oidc, client);
  const { body } = await party.redeem(await party.authorize(browser, { scope }));
  return String(body["access_token"]);
}

async function login(token: string, change: object = {}): Promise<number> {
  const body = { ...alice, method: "xoauth2", password: token, ...change };
  return (await askJson(oidc.stack.url, body)).status;
}

/** The distinct statuses of enough logins to reach both engines. */
async function loginStatuses(token: string, change: object = {}): Promise<readonly number[]> {
  const statuses: number[] = [];
  while (statuses.length < 8) statuses.push(await login(token, change));
  return [...new Set(statuses)];
}

test("an opaque token is accepted for its user and no other", async () => {
  const token = await tokenOf("mail");
  expect(token).not.toContain(".");
  expect(await loginStatuses(token)).toEqual([200]);
  expect(await loginStatuses(token, { username: "bob@example.test" })).toEqual([403]);
});

test("a token of another client, without the scope or of unknown origin is rejected", async () => {
  expect(await loginStatuses(await tokenOf("other"))).toEqual([403]);
  expect(await loginStatuses(await tokenOf("mail", "openid email"))).toEqual([403]);
  expect(await loginStatuses("A".repeat(43))).toEqual([403]);
});

test("every engine rejects a revoked token within revocation_ttl", async () => {
  const token = await tokenOf("mail");
  expect(await loginStatuses(token)).toEqual([200]);
  const authorization = `Basic ${btoa("mail:mail-secret")}`;
  const body = new URLSearchParams({ token });
  expect((await askInTurn(oidc, "/oidc/revoke", { method: "POST", headers: { authorization }, body })).status).toBe(
    200,
  );
  await poll("rejection by all engines", async () => (await loginStatuses(token)).join() === "403");
});

test("a signed token with typ JWT is rejected because ID tokens have the same typ", async () => {
  const token = await tokenOf("typed");
  expect(token).toContain(".");
  // An engine that started before idp fetches its keys again after a pause.
  await poll("the keys at both engines", async () => {
    const seen = [await loginStatuses(token), await loginStatuses(token), await loginStatuses(token)].flat();
    return !seen.includes(500);
  });
  expect(await loginStatuses(token)).toEqual([403]);
});

test("as an API caller's token, a user's valid token is rejected as the wrong type, and an altered one as invalid", async () => {
  const token = await tokenOf("mail");
  const path = `${oidc.stack.url}/api/v1/auth/json`;
  const statusOf = async (bearer: string): Promise<number> => {
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    return (await fetch(path, { method: "POST", headers, body: JSON.stringify(alice) })).status;
  };
  const outcomes = async (name: string): Promise<number> => {
    const found = new RegExp(`outcome="${name}"\\} (\\d+)`).exec(await oidc.stack.gateway.metrics());
    return Number(found?.[1] ?? 0);
  };
  const before = [await outcomes("wrong_token_type"), await outcomes("bad_token")];
  expect(await statusOf(token)).toBe(401);
  // The outcome determines whether the response is delayed (contract, "Caller rejection outcomes").
  expect([await outcomes("wrong_token_type"), await outcomes("bad_token")]).toEqual([(before[0] ?? 0) + 1, before[1]]);
  expect(await statusOf(`${token.slice(0, -4)}AAAA`)).toBe(401);
  expect(await outcomes("bad_token")).toBe((before[1] ?? 0) + 1);
});

test("while Redis hangs, a token causes a temporary failure, and no log or store contains it", async () => {
  const [known, fresh] = [await tokenOf("mail"), await tokenOf("mail")];
  const server = oidc.stack.redis;
  if (server === undefined) throw new Error("no Redis");
  expect(await login(known)).toBe(200);
  await pause(server);
  try {
    expect(await login(fresh)).toBe(500);
  } finally {
    server.signal("SIGCONT");
  }
  await poll("an accepted token", async () => (await login(fresh)) === 200);
  const outputs = [...oidc.stack.engines.map((engine) => engine.output()), oidc.stack.gateway.output()];
  for (const text of [...outputs, await redisContent(redis)]) {
    for (const token of [known, fresh]) expect(text).not.toContain(token);
  }
});

test("a user who secures the account also ends tokens of a client that the configuration no longer has", async () => {
  const token = await tokenOf("removed");
  await oidc.stack.writeSettings({ identity: { oidc: { clients } } });
  for (const process of oidc.processes) process.signal("SIGHUP");
  for (const replica of oidc.replicas) {
    const one = createBrowser([replica]);
    await poll("removal", async () => (await relyingParty(oidc, "removed").authorize(one)).status === 400);
  }
  expect(await loginStatuses(token)).toEqual([200]);
  const { csrf_token = "" } = hiddenFields(await browser.get("/mfa/app-passwords"));
  const secured = await browser.post("/mfa/suspicious-sign-ins/secure", { csrf_token });
  expect([secured.status, secured.location]).toEqual([302, "/mfa/suspicious-sign-ins"]);
  await poll("rejection by all engines", async () => (await loginStatuses(token)).join() === "403");
});
