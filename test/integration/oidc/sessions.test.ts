import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import {
  answerOf,
  askInTurn,
  type BackChannel,
  relyingParty,
  startBackChannel,
  type Tokens,
} from "../../support/relying-party.ts";

const users = ["openid", "profile", "email", "offline_access"];

let oidc: OidcStack;
let redis: RedisClient;
let channel: BackChannel;
let browser: Browser;
let account: string;
let operator: string;
let turn = 0;

beforeAll(async () => {
  channel = await startBackChannel();
  const rules = {
    redirect_uris: [callback],
    scopes: users,
    skip_consent: true,
    backchannel_logout_uri: channel.uri,
  };
  const m2m = { client_secret: "m2m-secret", grant_types: ["client_credentials"] };
  oidc = await startOidcStack([
    { ...rules, client_id: "web", client_secret: "web-secret" },
    { ...rules, client_id: "signed", client_secret: "signed-secret", access_token_type: "jwt" },
    { ...m2m, client_id: "m2m", scopes: ["service:authenticate", "service:security"] },
    { ...m2m, client_id: "twin", client_secret: "twin-secret", scopes: ["service:authenticate", "service:security"] },
  ]);
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  operator = await m2mToken("service:authenticate service:security");
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
  await channel[Symbol.asyncDispose]();
});

async function m2mToken(scope: string): Promise<string> {
  const { body } = await relyingParty(oidc, "m2m").token({ grant_type: "client_credentials", scope });
  return String(body["access_token"]);
}

async function signIn(): Promise<Browser> {
  const newBrowser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
  newBrowser.cookies.set(name, sid);
  return newBrowser;
}

beforeEach(async () => {
  turn += 1;
  account = `user${turn}@example.test`;
  channel.tokens.length = 0;
  browser = await signIn();
});

const notifiedSessionCount = (): number => new Set(channel.tokens.map((token) => claimsOf(token)["sid"])).size;

async function tokensOf(clientId: string, user = browser): Promise<Tokens["body"]> {
  const party = relyingParty(oidc, clientId);
  const { status, body } = await party.redeem(await party.authorize(user));
  expect(status).toBe(200);
  return body;
}

/** Sends an operator's request through the gateway. */
async function ask(method: string, path: string, token = operator) {
  const response = await fetch(`${oidc.issuer}/api/v1/oidc/sessions${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  const body: { readonly sessions?: readonly Readonly<Record<string, unknown>>[] } =
    text === "" ? {} : JSON.parse(text);
  return { status: response.status, text, sessions: body.sessions ?? [] };
}

const isAlive = async (token: unknown): Promise<boolean> =>
  (await relyingParty(oidc, "web").userinfo(token)).status === 200;

test("the list contains the contract's record for opaque and signed tokens, and no token", async () => {
  const before = Math.floor(Date.now() / 1000);
  const { access_token: opaque, refresh_token: refresh } = await tokensOf("web");
  const { access_token: jwt } = await tokensOf("signed");
  const { status, text, sessions } = await ask("GET", `/${encodeURIComponent(account)}`);
  expect(status).toBe(200);
  expect(sessions.map((session) => String(session["client_id"])).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "signed",
    "web",
  ]);
  expect(sessions.find((session) => session["client_id"] === "web")).toEqual({
    id: expect.stringMatching(/^[\w-]{43}$/),
    client_id: "web",
    user_id: account,
    username: account,
    display_name: "Alice Example",
    redirect_uri: callback,
    mfa_method: "",
    scopes: users,
    auth_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    mfa_completed: false,
  });
  const times = sessions.map((session) => Date.parse(String(session["auth_time"])) / 1000);
  expect(Math.max(...times)).toBeLessThan(before);
  for (const secret of [opaque, refresh, jwt]) expect(text).not.toContain(String(secret));
});

test("a refreshed session keeps its redirect URI and sign-in time", async () => {
  const { refresh_token: refresh } = await tokensOf("web");
  await relyingParty(oidc, "web").token({ grant_type: "refresh_token", refresh_token: String(refresh) });
  const { sessions } = await ask("GET", `/${account}`);
  expect(sessions).toHaveLength(2);
  expect(new Set(sessions.map(({ redirect_uri, auth_time }) => `${redirect_uri} ${auth_time}`)).size).toBe(1);
});

test("ending one session revokes all of its tokens and no others", async () => {
  const web = await tokensOf("web");
  const signed = await tokensOf("signed");
  const { sessions } = await ask("GET", `/${account}`);
  const id = String(sessions.find((session) => session["client_id"] === "web")?.["id"]);
  const ended = await ask("DELETE", `/${account}/${id}`);
  expect([ended.status, ended.text]).toEqual([204, ""]);
  expect(await isAlive(web["access_token"])).toBe(false);
  const refresh = { grant_type: "refresh_token", refresh_token: String(web["refresh_token"]) };
  expect((await relyingParty(oidc, "web").token(refresh)).status).toBe(400);
  expect(await isAlive(signed["access_token"])).toBe(true);
  expect((await ask("DELETE", `/${account}/${id}`)).status).toBe(204);
});

test("ending a session under another user's name is rejected with 403", async () => {
  const { access_token: token } = await tokensOf("web");
  const { sessions } = await ask("GET", `/${account}`);
  expect((await ask("DELETE", `/somebody@example.test/${String(sessions[0]?.["id"])}`)).status).toBe(403);
  expect(await isAlive(token)).toBe(true);
});

test("ending all sessions of a user revokes all tokens and browser sessions, and notifies every client", async () => {
  const web = await tokensOf("web");
  const signed = await tokensOf("signed");
  const second = await signIn();
  const more = await tokensOf("web", second);
  expect((await ask("DELETE", `/${account}`)).status).toBe(204);
  for (const { access_token: token } of [web, signed, more]) expect(await isAlive(token)).toBe(false);
  for (const user of [browser, second]) {
    const page = await relyingParty(oidc, "web").authorize(user, { prompt: "none" });
    expect(page.location).toContain("login_required");
  }
  expect((await ask("GET", `/${account}`)).sessions).toEqual([]);
  await expect.poll(() => channel.tokens).toHaveLength(3);
  const claims = channel.tokens.map((token) => claimsOf(token));
  expect(claims.map(({ aud }) => String(aud)).toSorted((a, b) => a.localeCompare(b))).toEqual(["signed", "web", "web"]);
  expect(new Set(claims.map(({ sid }) => sid)).size).toBe(3);
});

test("tokens issued or refreshed while all sessions are being ended are revoked too", async () => {
  const { refresh_token: refresh } = await tokensOf("web");
  const browsers = await Promise.all(Array.from({ length: 10 }, () => signIn()));
  const won: unknown[] = [];
  const race = browsers.map(async (user, index) => {
    const party = relyingParty(oidc, index % 2 === 0 ? "web" : "signed");
    const { status, body } = await party.redeem(await party.authorize(user));
    if (status === 200) won.push(body["access_token"]);
  });
  const renewed = relyingParty(oidc, "web")
    .token({ grant_type: "refresh_token", refresh_token: String(refresh) })
    .then(({ body }) => won.push(body["access_token"]));
  const [ended] = await Promise.all([ask("DELETE", `/${account}`), ...race, renewed]);
  expect(ended.status).toBe(204);
  for (const token of won) expect(await isAlive(token)).toBe(false);
  expect((await ask("GET", `/${account}`)).sessions).toEqual([]);
});

async function isActive(token: string): Promise<boolean> {
  const headers = { authorization: `Basic ${btoa("twin:twin-secret")}` };
  const { body } = await askInTurn(oidc, "/oidc/introspect", {
    method: "POST",
    headers,
    body: new URLSearchParams({ token }),
  });
  return body["active"] === true;
}

/** Waits until the gateway has checked every token again. */
async function waitForRevocationTtl(): Promise<void> {
  const started = performance.now();
  await expect.poll(() => performance.now() - started).toBeGreaterThan(400);
}

describe("a user and a client with the same name", () => {
  const scope = "service:authenticate service:security";

  async function clientToken(): Promise<string> {
    const { body } = await relyingParty(oidc, "twin").token({ grant_type: "client_credentials", scope });
    return String(body["access_token"]);
  }

  beforeEach(async () => {
    account = "twin";
    browser = await signIn();
  });

  test("have separate lists", async () => {
    await Promise.all([clientToken(), tokensOf("web")]);
    const users = await ask("GET", "/twin");
    expect(new Set(users.sessions.map((session) => session["client_id"]))).toEqual(new Set(["web"]));
    const clients = await ask("GET", "/client:twin");
    expect(new Set(clients.sessions.map((session) => session["client_id"]))).toEqual(new Set(["twin"]));
  });

  test("the client's tokens remain valid when all of the user's sessions are ended", async () => {
    const token = await clientToken();
    const signed = await tokensOf("signed");
    expect((await ask("GET", `/${account}`, token)).status).toBe(200);
    expect((await ask("DELETE", "/twin")).status).toBe(204);
    await waitForRevocationTtl();
    expect(await isAlive(signed["access_token"])).toBe(false);
    expect(await isActive(token)).toBe(true);
    expect((await ask("GET", `/${account}`, token)).status).toBe(200);
  });

  test("the user's tokens remain valid when all of the client's are revoked, and the client can get new ones", async () => {
    const token = await clientToken();
    const [web, signed] = [await tokensOf("web"), await tokensOf("signed")];
    expect((await ask("GET", `/${account}`, token)).status).toBe(200);
    expect((await ask("DELETE", "/client:twin")).status).toBe(204);
    expect(await isActive(token)).toBe(false);
    await expect.poll(async () => (await ask("GET", `/${account}`, token)).status).toBe(401);
    for (const { access_token: users } of [web, signed]) expect(await isAlive(users)).toBe(true);
    expect((await ask("GET", `/${account}`, await clientToken())).status).toBe(200);
  });

  test("a client is also found by its plain name if no user has that name", async () => {
    await ask("DELETE", "/twin");
    await redis.del(...(await redis.keys("postern:oidc:account:*")));
    const token = await clientToken();
    expect((await ask("GET", "/twin")).sessions).not.toEqual([]);
    expect((await ask("DELETE", "/twin")).status).toBe(204);
    expect(await isActive(token)).toBe(false);
  });
});

test("clients that join a session while the user ends it in another browser are notified", async () => {
  const others = await Promise.all(Array.from({ length: 8 }, () => signIn()));
  const { csrf_token = "" } = hiddenFields(await browser.get("/mfa/sessions"));
  const race = others.map(async (user, index) => {
    const party = relyingParty(oidc, index % 2 === 0 ? "web" : "signed");
    return answerOf(await party.authorize(user)).get("code");
  });
  const ending = browser.post("/mfa/sessions", { csrf_token, _method: "DELETE" });
  const [codes, ended] = await Promise.all([Promise.all(race), ending]);
  expect([ended.status, ended.location]).toEqual([302, "/mfa/sessions"]);
  const known = codes.filter((code) => code !== null).length;
  await expect.poll(notifiedSessionCount).toBeGreaterThanOrEqual(known);
});

test.each([
  ["GET", "", 400],
  ["GET", "/", 400],
  ["DELETE", "/", 400],
  ["DELETE", "/user@example.test/", 400],
  ["GET", "/unknown@example.test", 200],
])("%s %s returns %i", async (method, path, status) => {
  expect((await ask(method, path)).status).toBe(status);
});

test("an API caller needs an operator's scope", async () => {
  expect((await ask("GET", `/${account}`, await m2mToken("service:authenticate"))).status).toBe(403);
  expect((await ask("GET", `/${account}`, "nonsense")).status).toBe(401);
});
