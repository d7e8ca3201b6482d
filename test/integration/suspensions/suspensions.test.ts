import type { RedisClient } from "@postern/shared/platform/redis";
import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { policyClient } from "../../support/auth-policy.ts";
import { createBrowser } from "../../support/browser.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type MailClient, mailScope, registerMailClient } from "../../support/mail-client.ts";
import { type HookReceiver, startHookReceiver } from "../../support/notification-receivers.ts";
import { askReplicas } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { runOperator } from "../../support/run-operator.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";
import { follow, issuer } from "../idp/authorization.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const carol = { username: "carol@example.test", password: "carol-demo-password" };
const bob = { username: "bob@example.test", password: "bob-demo-password" };
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const appPassword = { password: "app-careed-emeapp-asswer-dferca-reprgj" };
const home = "192.0.2.7";
const accountPage = "/mfa/register/home";
const reason = "Call the help desk, 555-0100";

let idp: IdpStack;
let redis: RedisClient;
let mail: MailClient;
let hooks: HookReceiver;

const { runtime } = redisGivenUpSoon;

beforeAll(async () => {
  const hookPort = await freePort();
  hooks = await startHookReceiver(hookPort);
  const webhook = { url: `http://127.0.0.1:${hookPort}/hook`, secret: "a-secret-of-webhooks-0123456789" };
  idp = await startIdpStack(
    {
      runtime: { ...Object(runtime), servers: { http: { auth_policy_endpoint: true } } },
      auth: {
        oauthbearer: { enabled: true, issuer },
        controls: { enabled: ["brute_force"], brute_force: { without_redis: { timeout: "250ms" } } },
        pipeline: { master_user: { enabled: true, users: [bob.username] } },
        backchannel: {
          jwt: {
            enabled: true,
            secret_key: "a-secret-of-the-jwt-endpoints-0123456789",
            directory_roles: ["authenticate"],
          },
        },
      },
      identity: {
        notices: { enabled: true, webhook },
        oidc: {
          enabled: true,
          issuer,
          mail_registration: { enabled: true, per_minute: 1000, max_pending_per_network: 1000 },
        },
      },
    },
    { engines: 2, idps: 1, services: ["admin", "jobs-worker"] },
  );
  redis = await testRedis(idp.stack.redis?.port ?? 0);
  const { replicas } = idp;
  mail = await registerMailClient({ issuer, replicas, ask: askReplicas(replicas) });
}, 300_000);

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

const change = (method: "POST" | "DELETE", body: object) =>
  askAdmin(idp.stack, method, "/api/v1/suspensions", { body });

/** The number of suspended accounts that each engine knows. */
async function known(): Promise<readonly number[]> {
  const pages = await Promise.all(idp.stack.engines.map((engine) => engine.metrics()));
  return pages.map((page) => Number(/^service_suspended_accounts (\d+)$/mu.exec(page)?.[1]));
}

const atEveryEngine = (count: number) =>
  poll(`${count} suspended accounts at every engine`, async () => (await known()).every((one) => one === count));

async function suspend(username: string, more: object = {}) {
  const answer = await change("POST", { username, ...more });
  expect(answer.status).toBe(200);
  await atEveryEngine(1);
  return answer.body;
}

beforeEach(async () => {
  for (const username of [alice.username, bob.username, carol.username, "nobody@example.test"])
    await change("DELETE", { username });
  await atEveryEngine(0);
});

/** Enough sign-ins for both engines to decide some; the distinct answers. */
async function signIn(fields: object) {
  const request = { protocol: "imap", client_ip: home, ...carol, ...fields };
  const answers = await Promise.all(Array.from({ length: 8 }, () => askJson(idp.stack.url, request)));
  const seen = answers.map(({ status, headers }) => ({ status, text: headers.get("auth-status") }));
  const all = [...new Map(seen.map((one) => [JSON.stringify(one), one])).values()];
  return all.length === 1 ? all[0] : all;
}

const refused = { status: 403, text: reason };
const accepted = expect.objectContaining({ status: 200 });

async function tokensOf(user: typeof carol) {
  const browser = createBrowser(idp.replicas, home);
  browser.cookies.set("service_session", (await signedIn(redis, user.username)).split("=")[1] ?? "");
  const consent = await mail.toConsent(browser, { scope: `${mailScope} offline_access` });
  const tokens = await mail.redeem(await follow(browser, await browser.submit(consent, { submit: "allow" })));
  return { browser, tokens };
}

async function pageOf(user: { readonly username: string; readonly password: string }) {
  const browser = createBrowser(idp.replicas, home);
  return browser.submit(await browser.open(accountPage), user);
}

const sent = () => hooks.received.map(({ body }): Record<string, unknown> => JSON.parse(body));

describe("a suspended account", () => {
  test("is refused with every credential, in every protocol, with the text only after a correct one", async () => {
    const { browser, tokens } = await tokensOf(carol);
    const token = { method: "xoauth2", password: tokens.access_token };
    for (const fields of [{}, appPassword, token]) expect(await signIn(fields)).toEqual(accepted);
    expect((await browser.get(accountPage)).status).toBe(200);

    const done = await suspend("Carol@Example.Test", { reason });
    expect(done).toEqual({ accounts: [carol.username], is_known: true, sessions_ended: 1 });
    for (const fields of [{}, { protocol: "smtp" }, appPassword, { username: "CAROL@example.test" }])
      expect(await signIn(fields)).toEqual(refused);
    // Revoked, like all tokens of the account. An engine that remembers the token as good refuses it with the text.
    expect(new Set([await signIn(token)].flat().map((one) => one?.status))).toEqual(new Set([403]));
    await expect(mail.refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
    expect((await browser.get(accountPage)).location).toContain("/login");
    // A wrong password shows nothing.
    expect(await signIn({ password: "wrong" })).toEqual({ status: 403, text: "FAIL" });
    expect((await pageOf(carol)).text).toContain(reason);
    expect((await pageOf({ ...carol, password: "wrong" })).text).not.toContain(reason);
    // Mail is still delivered, and nobody else is affected.
    const lookup = await askJson(idp.stack.url, { ...carol, protocol: "lmtp" }, { query: "?mode=no-auth" });
    expect(lookup.status).toBe(200);
    expect(await signIn(alice)).toEqual(accepted);
  });

  test("is refused before a mail server verifies its password, and at the JWT endpoints, where issued tokens end", async () => {
    const logIn = () => askAdmin(idp.stack, "POST", "/api/v1/jwt/token", { body: carol });
    const { body } = await logIn();
    const bearer = { authorization: `Bearer ${String(body["token"])}` };
    const call = () => askJson(idp.stack.url, { ...alice, protocol: "imap", client_ip: home }, { headers: bearer });
    expect((await call()).status).toBe(200);
    const policy = policyClient(idp.stack.url);
    const login = { login: "CAROL@example.test", remote: "192.0.2.90" };
    expect(await policy.statusOf(login)).toBe(0);
    await suspend(carol.username, { reason });
    const answer = await policy.allow(login);
    expect(answer.body).toMatchObject({ status: -1, msg: "", r_attrs: { reason: "account_suspended" } });
    expect((await logIn()).status).toBe(401);
    const headers = { "x-refresh-token": String(body["refresh_token"]) };
    expect((await askAdmin(idp.stack, "POST", "/api/v1/jwt/refresh", { headers })).status).toBe(401);
    await poll("the token to be rejected", async () => (await call()).status === 401);
  });

  test("is closed to master users, and a suspended master user opens no account", async () => {
    const asMaster = { username: `${carol.username}*${bob.username}`, password: bob.password };
    expect(await signIn(asMaster)).toEqual(accepted);
    await suspend(carol.username, { reason });
    expect(await signIn(asMaster)).toEqual(refused);
    await change("DELETE", { username: carol.username });
    await suspend(bob.username, { reason });
    expect(await signIn(asMaster)).toEqual(refused);
  });

  test("is released by an operator or by time, at every engine, and its old sessions stay ended", async () => {
    const { browser, tokens } = await tokensOf(carol);
    await suspend(carol.username);
    expect(await signIn({})).toEqual(expect.objectContaining({ status: 403, text: expect.stringContaining("locked") }));
    expect((await change("DELETE", { username: "CAROL@example.test" })).body).toMatchObject({
      accounts: [carol.username],
    });
    await atEveryEngine(0);
    expect(await signIn({})).toEqual(accepted);
    expect((await browser.get(accountPage)).location).toContain("/login");
    await expect(mail.refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
    const { until } = await suspend(carol.username, { for: "2s" });
    expect(await signIn({})).toEqual(expect.objectContaining({ status: 403 }));
    await poll(
      "the end",
      async () => (await signIn({})) instanceof Object && (await known()).every((one) => one === 0),
    );
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(until)) - 50);
    expect(await signIn({})).toEqual(accepted);
  });

  test("a second suspension replaces the first, and another after it is resumed counts", async () => {
    await suspend(carol.username, { reason: "first", for: "1h" });
    await suspend(carol.username, { reason });
    expect((await askAdmin(idp.stack, "GET", "/api/v1/suspensions")).body).toEqual({
      suspensions: [expect.objectContaining({ account: carol.username, reason, by: "backchannel" })],
    });
    await poll("the second text", async () => JSON.stringify(await signIn({})).includes(reason));
    await Promise.all([change("DELETE", { username: carol.username }), change("DELETE", { username: carol.username })]);
    await suspend(carol.username, { reason });
    expect(await signIn({})).toEqual(refused);
  });

  test("no sign-in that is under way leaves a session", async () => {
    const browsers = Array.from({ length: 8 }, () => createBrowser(idp.replicas, home));
    const forms = await Promise.all(
      browsers.map(async (browser) => ({ browser, page: await browser.open(accountPage) })),
    );
    const signIns = forms.map(({ browser, page }) => browser.submit(page, carol));
    await Promise.all([...signIns, change("POST", { username: carol.username })]);
    await atEveryEngine(1);
    const places = async () =>
      Promise.all(browsers.map(async (browser) => (await browser.get(accountPage)).location ?? "signed in"));
    for (const place of await places()) expect(place).toContain("/login");
    await change("DELETE", { username: carol.username });
    await atEveryEngine(0);
    for (const place of await places()) expect(place).toContain("/login");
  });

  test("the log, the audit stream, postern why and the list say so", async () => {
    const run = (...args: string[]) => runOperator(idp.stack.url, args);
    const suspended = await run("suspend", "CAROL@example.test", "--for", "24h", "--reason", reason);
    expect(suspended).toMatchObject({ code: 0, out: expect.stringContaining(`: ${carol.username}\n`) });
    await atEveryEngine(1);
    const { headers } = await askJson(idp.stack.url, { ...carol, protocol: "imap", client_ip: home });
    const line = await logLineOf(idp.stack.gateway, headers.get("x-service-session") ?? undefined, "decided");
    expect(line).toMatchObject({ outcome: "fail", reason: "account_suspended" });
    const why = await run("why", carol.username);
    expect(why).toMatchObject({ code: 1, out: expect.stringContaining(`postern resume ${carol.username}`) });
    expect(why.out).toMatch(/backchannel suspended the account at .* until .*: every sign-in is refused/u);
    expect((await run("suspensions")).out).toContain(reason);
    const audit = idp.stack.service("admin").output().split("\n");
    expect(audit.find((one) => one.includes('"account.suspend"') && one.includes(reason))).toMatch(
      /"actor":"backchannel".*"outcome":"ok","target":"carol@example.test"/u,
    );
    await poll("the notification of the user", () =>
      sent().some(
        ({ event, account, client_ip }) =>
          event === "account_suspended" && account === carol.username && client_ip === undefined,
      ),
    );
    expect(await run("resume", carol.username)).toMatchObject({ code: 0, out: `resumed: ${carol.username}\n` });
    await atEveryEngine(0);
    expect(await run("resume", carol.username)).toMatchObject({ code: 1 });
    expect((await run("why", carol.username)).out).not.toContain("suspended the account");
    expect(await run("suspend", carol.username, "--for", "soon")).toMatchObject({ code: 1 });
  });

  test("a name that no backend has is suspended as typed, and the answer says so", async () => {
    const username = "Nobody@Example.Test";
    const done = await suspend(username);
    expect(done).toMatchObject({ accounts: ["nobody@example.test"], is_known: false });
    expect(await policyClient(idp.stack.url).statusOf({ login: username, remote: "192.0.2.91" })).toBe(-1);
    expect((await change("DELETE", { username })).body).toMatchObject({ accounts: ["nobody@example.test"] });
    await atEveryEngine(0);
  });

  // Last: the idp reads no session meanwhile.
  test("stays suspended while Redis is away and after Redis has lost its data; an account that was resumed does not come back", async () => {
    await suspend(alice.username);
    await change("DELETE", { username: alice.username });
    await atEveryEngine(0);
    await suspend(carol.username, { reason });
    await idp.stack.redis?.stop();
    expect(await signIn({})).toEqual(refused);
    expect(await signIn(appPassword)).toEqual(refused);
    expect(await signIn(alice)).toEqual(accepted);
    await idp.stack.startRedis();
    const services = [...idp.stack.engines, idp.first, idp.stack.service("admin")];
    await poll("the suspension in the new Redis", () =>
      services.some((one) => one.output().includes("Redis had lost the suspension of an account")),
    );
    await poll("the connection to the new Redis", () => redis.status === "ready");
    expect(Object.keys(await redis.hgetall("postern:suspensions")).toSorted()).toEqual(["", carol.username]);
    expect(await signIn({})).toEqual(refused);
    expect(await signIn(alice)).toEqual(accepted);
    // An engine that starts now reads it before it serves.
    await idp.stack.startEngine();
    expect(await signIn({})).toEqual(refused);
    await change("DELETE", { username: carol.username });
    await atEveryEngine(0);
    expect(await signIn({})).toEqual(accepted);
  });
});
