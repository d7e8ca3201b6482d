import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { pause } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { askToken, claimsOf, signedIn, type TokenAnswer } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import {
  answerOf,
  askInTurn,
  type BackChannel,
  relyingParty,
  startBackChannel,
  type Tokens,
} from "../../support/relying-party.ts";

const graceMs = 2000;
const queue = "postern:oidc:{logout-notices}";

let oidc: OidcStack;
let redis: RedisClient;
let channel: BackChannel;
let browser: Browser;

beforeAll(async () => {
  channel = await startBackChannel();
  const rules = { redirect_uris: [callback], skip_consent: true };
  oidc = await startOidcStack(
    [
      { ...rules, client_id: "mail", client_secret: "mail-secret" },
      { ...rules, client_id: "signed", client_secret: "signed-secret", access_token_type: "jwt" },
      { client_id: "tv", grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] },
      { ...rules, client_id: "notified", client_secret: "notified-secret", backchannel_logout_uri: channel.uri },
    ],
    {
      tokens: { refresh_token_grace: `${graceMs}ms` },
      logout: { back_channel_timeout: "1s", back_channel_retry_delay: "100ms", back_channel_retry_max_delay: "200ms" },
    },
    { gateway: false, shape: "five" },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
  await channel[Symbol.asyncDispose]();
});

async function signIn(replicas = oidc.replicas): Promise<Browser> {
  const newBrowser = createBrowser(replicas);
  const [name = "", sid = ""] = (await signedIn(redis)).split("=");
  newBrowser.cookies.set(name, sid);
  return newBrowser;
}

beforeEach(async () => {
  browser = await signIn();
});

async function tokensOf(clientId: string): Promise<Tokens["body"]> {
  const party = relyingParty(oidc, clientId);
  const { status, body } = await party.redeem(await party.authorize(browser));
  expect(status).toBe(200);
  return body;
}

function refresh(client: string, token: unknown, replica = 0): Promise<TokenAnswer> {
  return askToken(oidc, { grant_type: "refresh_token", refresh_token: String(token) }, { replica, client });
}

const isAlive = async (token: unknown): Promise<boolean> =>
  (await relyingParty(oidc, "mail").userinfo(token)).status === 200;

async function reuseAfterGrace(client: string): Promise<void> {
  const { refresh_token: used } = await tokensOf(client);
  const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((replica) => refresh(client, used, replica)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const [successor, ...others] = new Set(answers.map(({ body }) => body["refresh_token"]));
  expect(others).toEqual([]);
  const kept = answers.map(({ body }) => body["access_token"]);
  const last = await refresh(client, successor, 1);
  expect(last.status).toBe(200);
  // The used refresh token returns the same successor until the grace period ends.
  const reuse = async (): Promise<unknown> => {
    const { status, body } = await refresh(client, used, 1);
    return status === 200 ? body["refresh_token"] : body["error"];
  };
  expect(await reuse()).toBe(successor);
  for (const token of kept) expect(await isAlive(token)).toBe(true);
  await expect.poll(reuse, { timeout: graceMs + 5000, interval: 300 }).toBe("invalid_grant");
  // The refusal may have been by the last request within the grace period, which revokes nothing.
  expect(await reuse()).toBe("invalid_grant");
  for (const token of [...kept, last.body["access_token"]]) expect(await isAlive(token)).toBe(false);
  expect((await refresh(client, last.body["refresh_token"])).body["error"]).toBe("invalid_grant");
}

/** Makes all grants expire in so many seconds. @returns the time of expiry */
async function ageGrants(leftSeconds: number): Promise<number> {
  const ring = createKeyRing([new Secret("test-encryption-secret")], "oidc");
  const exp = Math.floor(Date.now() / 1000) + leftSeconds;
  for (const key of await redis.keys("postern:oidc:record:Grant:*")) {
    const sealed = Buffer.from((await redis.get(key)) ?? "", "base64");
    const payload: object = Object(JSON.parse(ring.open(sealed, key)?.toString("utf8") ?? "{}"));
    const aged = ring.seal(JSON.stringify({ ...payload, exp }), key).toString("base64");
    await redis.set(key, aged, "EX", leftSeconds);
  }
  for (const key of await redis.keys("postern:oidc:account:*")) await redis.expire(key, leftSeconds);
  return exp;
}

describe("refresh tokens", () => {
  test("reuse within the grace period returns the same successor; afterwards it revokes the whole family", async () => {
    await Promise.all(["mail", "signed"].map(reuseAfterGrace));
  });

  test("a chain of refreshes outlives its first grant and can still be revoked", async () => {
    const clients = ["mail", "signed"];
    const begun = await Promise.all(clients.map(tokensOf));
    const exp = await ageGrants(2);
    const second = await Promise.all(
      clients.map((client, index) => refresh(client, begun[index]?.["refresh_token"], 1)),
    );
    expect(second.map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(() => Date.now() / 1000).toBeGreaterThan(exp);
    for (const [index, client] of clients.entries()) {
      expect(await isAlive(second[index]?.body["access_token"])).toBe(true);
      const third = await refresh(client, second[index]?.body["refresh_token"]);
      expect(third.status).toBe(200);
      await oidc.ask(0, "/oidc/revoke", {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${client}:${client}-secret`)}` },
        body: new URLSearchParams({ token: String(third.body["refresh_token"]) }),
      });
      expect(await isAlive(third.body["access_token"])).toBe(false);
    }
  });
});

async function signOut(user = browser): Promise<void> {
  const { id_token: hint } = await tokensOf("notified");
  const page = await user.get(`/oidc/logout?id_token_hint=${String(hint)}`);
  expect(page.status).toBe(302);
}

describe("back-channel logout", () => {
  beforeEach(() => {
    channel.tokens.length = 0;
    channel.bodies.length = 0;
    channel.status = 200;
    channel.held = undefined;
  });

  test("a client that is unavailable for a while is notified once when it is back", async () => {
    channel.status = 503;
    await signOut();
    await expect.poll(() => channel.bodies.length).toBeGreaterThanOrEqual(5);
    channel.status = 200;
    await expect.poll(() => redis.zcard(queue)).toBe(0);
    expect(channel.tokens).toHaveLength(1);
  });

  test("Redis contains no readable tokens, codes, cookies or user names", async () => {
    channel.status = 503;
    const mail = relyingParty(oidc, "mail");
    const authorized = await mail.authorize(browser);
    const unused = await redisContent(redis);
    const { body: opaque } = await mail.redeem(authorized);
    const signed = await tokensOf("signed");
    const post = (path: string, form: Record<string, string>, headers = {}) =>
      askInTurn(oidc, path, { method: "POST", body: new URLSearchParams(form), headers });
    const { body: device } = await post("/oidc/device", { client_id: "tv", scope: "openid" });
    const authorization = `Basic ${btoa("mail:mail-secret")}`;
    const request = { response_type: "code", redirect_uri: callback, scope: "openid" };
    const { body: pushed } = await post("/oidc/par", request, { authorization });
    const signedOut = createBrowser(oidc.replicas);
    await signedOut.get((await mail.authorize(signedOut)).location ?? "");
    const session = browser.cookies.get("service_session");
    await signOut();
    await expect.poll(() => channel.bodies.length).toBeGreaterThan(0);
    const content = `${unused}\n${await redisContent(redis)}`;
    const logoutToken = channel.bodies[0]?.get("logout_token");
    const kinds: Readonly<Record<string, unknown>> = {
      code: answerOf(authorized).get("code"),
      "opaque access token": opaque["access_token"],
      "refresh token": opaque["refresh_token"],
      "ID token": opaque["id_token"],
      "signed access token": signed["access_token"],
      "identifier of the access token": claimsOf(signed["access_token"])["jti"],
      "device code": device["device_code"],
      "user code": device["user_code"],
      "user code as typed": String(device["user_code"]).replaceAll("-", ""),
      "pushed request": String(pushed["request_uri"]).split(":").at(-1),
      "session cookie": session,
      "logout token": logoutToken,
      "identifier of the logout token": claimsOf(logoutToken)["jti"],
      ...Object.fromEntries([...signedOut.cookies].map(([name, value]) => [`cookie ${name}`, value])),
      user: "alice",
      client: "mail-secret",
    };
    const entries = Object.entries(kinds).map(([kind, value]) => [kind, String(value ?? "")] as const);
    expect(entries.filter(([, value]) => value.length < 5)).toEqual([]);
    expect(entries.filter(([, value]) => content.includes(value)).map(([kind]) => kind)).toEqual([]);
    const models = ["AuthorizationCode", "RefreshToken", "DeviceCode", "PushedAuthorizationRequest"];
    for (const model of models) expect(content).toContain(`oidc:once:${model}`);
    for (const family of ["oidc:record:AccessToken", "oidc:record:Grant", "oidc:user-code", "oidc:{logout-notices}:"]) {
      expect(content).toContain(family);
    }
    channel.status = 200;
    await expect.poll(() => redis.zcard(queue)).toBe(0);
  });

  test("two replicas do not notify a slow client twice", async () => {
    const answer = Promise.withResolvers<void>();
    channel.held = answer.promise;
    await signOut();
    await expect.poll(() => channel.bodies.length).toBe(1);
    const startedAt = performance.now();
    // Waits until both replicas have read the queue again.
    await expect.poll(() => performance.now() - startedAt).toBeGreaterThan(600);
    answer.resolve();
    await expect.poll(() => redis.zcard(queue)).toBe(0);
    expect(channel.bodies).toHaveLength(1);
  });

  test("a replica delivers the logout notifications of a killed replica", async () => {
    const [first, second] = oidc.processes;
    if (first === undefined || second === undefined) throw new Error("the test needs two replicas");
    browser = await signIn();
    const { id_token: hint } = await tokensOf("notified");
    const alone = createBrowser(oidc.replicas.slice(0, 1));
    for (const [name, value] of browser.cookies) alone.cookies.set(name, value);
    const dead = Promise.withResolvers<void>();
    channel.held = dead.promise;
    await pause(second);
    expect((await alone.get(`/oidc/logout?id_token_hint=${String(hint)}`)).status).toBe(302);
    await expect.poll(() => channel.bodies.length).toBe(1);
    first.signal("SIGKILL");
    channel.held = undefined;
    second.signal("SIGCONT");
    await expect.poll(() => channel.tokens).toHaveLength(1);
    dead.resolve();
    await expect.poll(() => redis.zcard(queue)).toBe(0);
  });
});
