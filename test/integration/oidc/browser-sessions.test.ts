import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { sessionStore, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { relyingParty } from "../../support/relying-party.ts";

const account = "user@example.test";

let oidc: OidcStack;
let redis: RedisClient;
let operator: string;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes: ["openid"], skip_consent: true };
  const scope = "service:authenticate service:security";
  const m2m = { client_id: "m2m", client_secret: "m2m-secret", grant_types: ["client_credentials"] };
  oidc = await startOidcStack([
    { ...rules, client_id: "web", client_secret: "web-secret" },
    { ...rules, client_id: "signed", client_secret: "signed-secret" },
    { ...rules, client_id: "idle", client_secret: "idle-secret" },
    { ...m2m, scopes: scope.split(" ") },
  ]);
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  const { body } = await relyingParty(oidc, "m2m").token({ grant_type: "client_credentials", scope });
  operator = String(body["access_token"]);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

async function signIn(): Promise<Browser> {
  const browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
  browser.cookies.set(name, sid);
  return browser;
}

async function tokenOf(clientId: string, browser: Browser): Promise<unknown> {
  const party = relyingParty(oidc, clientId);
  const { status, body } = await party.redeem(await party.authorize(browser));
  expect(status).toBe(200);
  return body["access_token"];
}

async function ask(method: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${operator}` };
  const response = await fetch(`${oidc.issuer}/api/v1/oidc/sessions${path}`, { method, headers });
  return { status: response.status, text: await response.text() };
}

const isAlive = async (clientId: string, token: unknown): Promise<boolean> =>
  (await relyingParty(oidc, clientId).userinfo(token)).status === 200;

async function browserSessions(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { status, text } = await ask("GET", `/${encodeURIComponent(account)}?browser=true`);
  expect(status).toBe(200);
  return JSON.parse(text).browser_sessions;
}

test("browser sessions are listed on request, and each can be ended separately", async () => {
  const [browser, other] = [await signIn(), await signIn()];
  const gone = await tokenOf("web", browser);
  const kept = await tokenOf("signed", other);
  const listed = await browserSessions();
  expect(listed).toHaveLength(2);
  expect(listed.map(({ client_ids: ids }) => ids)).toEqual(expect.arrayContaining([["web"], ["signed"]]));
  expect(listed[0]).toEqual({
    id: expect.any(String),
    client_ip: expect.any(String),
    user_agent: expect.any(String),
    auth_time: expect.stringMatching(/Z$/),
    last_seen: expect.stringMatching(/Z$/),
    mfa_completed: false,
    client_ids: expect.any(Array),
  });
  expect((await ask("GET", `/${account}`)).text).not.toContain("browser_sessions");
  const text = JSON.stringify(listed);
  for (const [, cookie] of [...browser.cookies, ...other.cookies]) expect(text).not.toContain(cookie);
  const id = String(listed.find(({ client_ids: ids }) => String(ids) === "web")?.["id"]);
  expect((await ask("DELETE", `/somebody@example.test/${id}`)).status).toBe(403);
  expect(await browserSessions()).toHaveLength(2);
  expect((await ask("DELETE", `/${account}/${id}`)).status).toBe(204);
  expect((await browserSessions()).map(({ client_ids: ids }) => ids)).toEqual([["signed"]]);
  expect(await isAlive("signed", kept)).toBe(true);
  expect(await isAlive("web", gone)).toBe(false);
});

/** Signs in more often than is listed. */
async function signInOften(): Promise<void> {
  // The list is sorted by the second in which sessions end.
  const second = Math.floor(Date.now() / 1000);
  await poll("the next second", async () => Math.floor(Date.now() / 1000) > second);
  await Promise.all(Array.from({ length: 101 }, () => signedIn(redis, account)));
}

const isOfWeb = ({ client_ids: ids }: { readonly client_ids?: unknown }): boolean => String(ids) === "web";

describe("a session beyond the newest 100", () => {
  beforeEach(async () => {
    await sessionStore(redis).endAll(account);
  });

  test("can be ended by an operator who knows its id", async () => {
    const browser = await signIn();
    const token = await tokenOf("web", browser);
    const id = String((await browserSessions()).find(isOfWeb)?.["id"]);
    await signInOften();
    expect((await browserSessions()).filter(isOfWeb)).toEqual([]);
    expect((await ask("DELETE", `/${account}/${id}`)).status).toBe(204);
    expect(await isAlive("web", token)).toBe(false);
  });

  test("counts for the applications that a user can disconnect", async () => {
    await signIn();
    const sessions = sessionStore(redis);
    const [first] = await sessions.list(account);
    await sessions.merge(first?.uid ?? "", { authorizations: { idle: { sid: "sid-of-idle" } } });
    await signInOften();
    const own = await signIn();
    const page = await own.get("/mfa/applications");
    expect(page.text).toContain("/mfa/application/idle");
    const { csrf_token = "" } = hiddenFields(page);
    await own.post("/mfa/application/idle", { csrf_token, _method: "DELETE" });
    expect((await own.get("/mfa/applications")).text).not.toContain("/mfa/application/idle");
  });
});
