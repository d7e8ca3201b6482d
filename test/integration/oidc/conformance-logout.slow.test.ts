import type { RedisClient } from "@postern/shared/platform/redis";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import {
  askInTurn,
  type BackChannel,
  relyingParty,
  startBackChannel,
  type Tokens,
} from "../../support/relying-party.ts";

const after = "https://mail.example.test/bye";
const users = ["openid", "profile", "email", "offline_access"];
const accountOfTest = "alice@example.test";

let oidc: OidcStack;
let redis: RedisClient;
let channel: BackChannel;
let browser: Browser;

beforeAll(async () => {
  channel = await startBackChannel();
  const rules = { redirect_uris: [callback], scopes: users, skip_consent: true };
  oidc = await startOidcStack([
    {
      ...rules,
      client_id: "mail",
      client_secret: "mail-secret",
      post_logout_redirect_uris: [after],
      backchannel_logout_uri: channel.uri,
    },
    { ...rules, client_id: "other", client_secret: "other-secret", logout_redirect_uri: "https://other.example.test/" },
    {
      ...rules,
      client_id: "short",
      client_secret: "short-secret",
      post_logout_redirect_uris: [after],
      access_token_lifetime: "1s",
    },
    {
      ...rules,
      client_id: "signed",
      client_secret: "signed-secret",
      access_token_type: "jwt",
      backchannel_logout_uri: channel.uri,
    },
  ]);
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
  await channel[Symbol.asyncDispose]();
});

async function signIn(account = accountOfTest): Promise<Browser> {
  const newBrowser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
  newBrowser.cookies.set(name, sid);
  return newBrowser;
}

beforeEach(async () => {
  browser = await signIn();
  channel.tokens.length = 0;
  channel.bodies.length = 0;
  channel.status = 200;
});

async function tokensOf(clientId: string, user = browser): Promise<Tokens["body"]> {
  const party = relyingParty(oidc, clientId);
  const { status, body } = await party.redeem(await party.authorize(user));
  expect(status).toBe(200);
  return body;
}

const logout = (query: Readonly<Record<string, string>>, path = "/oidc/logout", user = browser) =>
  user.get(`${path}?${new URLSearchParams(query).toString()}`, { accept: "text/html" });

async function isSignedIn(user = browser): Promise<boolean> {
  const page = await relyingParty(oidc, "other").authorize(user, { prompt: "none" });
  const { searchParams } = new URL(page.location ?? "", callback);
  return searchParams.get("error") !== "login_required";
}

const hintOf = async (): Promise<string> => String((await tokensOf("mail"))["id_token"]);

/** The hint with other claims, and so with a wrong signature. */
const withClaims = (hint: string, claims: object): string => {
  const [header, , signature] = hint.split(".");
  const payload = Buffer.from(JSON.stringify({ ...claimsOf(hint), ...claims })).toString("base64url");
  return [header, payload, signature].join(".");
};

/** The hint with another `kid` in its header. */
const ofKey = (hint: string, kid: string): string =>
  [Buffer.from(JSON.stringify({ alg: "RS256", kid })).toString("base64url"), ...hint.split(".").slice(1)].join(".");

const unsigned = (hint: string): string =>
  `${Buffer.from('{"alg":"none"}').toString("base64url")}.${hint.split(".")[1]}.`;

describe("RP-initiated logout", () => {
  test("oidcc-rp-initiated-logout: redirects with the state and ends the session", async () => {
    const hint = await hintOf();
    const state = "s".repeat(128);
    const page = await logout({ id_token_hint: hint, post_logout_redirect_uri: after, state });
    expect([page.status, page.location]).toEqual([302, `${after}?state=${state}`]);
    expect(await isSignedIn()).toBe(false);
  });

  test("oidcc-rp-initiated-logout-no-state: redirects without a state, from /logout too", async () => {
    const hint = await hintOf();
    const page = await logout({ id_token_hint: hint, post_logout_redirect_uri: after }, "/logout");
    expect([page.status, page.location]).toEqual([302, after]);
  });

  test("oidcc-rp-initiated-logout-no-post-logout-redirect-uri: shows the signed-out page or the client's configured page", async () => {
    expect((await logout({ id_token_hint: await hintOf(), state: "x" })).location).toBe("/logged_out");
    browser = await signIn();
    const hint = String((await tokensOf("other"))["id_token"]);
    expect((await logout({ id_token_hint: hint })).location).toBe("https://other.example.test/");
  });

  test("an expired hint is accepted", async () => {
    const hint = String((await tokensOf("short"))["id_token"]);
    await expect.poll(() => Date.now() / 1000).toBeGreaterThan(Number(claimsOf(hint)["exp"]));
    const page = await logout({ id_token_hint: hint, client_id: "short", post_logout_redirect_uri: after });
    expect(page.location).toBe(after);
  });

  const cases: readonly (readonly [string, (hint: string) => Record<string, string>])[] = [
    [
      "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
      (hint: string) => ({ id_token_hint: hint, post_logout_redirect_uri: `${after}/x` }),
    ],
    [
      "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
      (hint: string) => ({ id_token_hint: hint, post_logout_redirect_uri: `${after}?a=b` }),
    ],
    [
      "a hint signed by a key that is no longer published",
      (hint: string) => ({ id_token_hint: ofKey(hint, "rsa-retired"), post_logout_redirect_uri: after }),
    ],
    ["oidcc-rp-initiated-logout-no-id-token-hint", () => ({ post_logout_redirect_uri: after })],
    ["oidcc-rp-initiated-logout-no-params, as SOGo does", () => ({})],
    ["oidcc-rp-initiated-logout-only-state", () => ({ state: "only" })],
  ];

  test.each(cases)("%s: the user must confirm, and there is no redirect to the client", async (_what, queryOf) => {
    const page = await logout(queryOf(await hintOf()));
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.text).toContain("Sign out?");
    expect(await isSignedIn()).toBe(true);
    const done = await browser.submit(page, {});
    expect([done.status, done.location]).toEqual([302, "/logged_out"]);
    expect(await isSignedIn()).toBe(false);
  });

  test.each<readonly [string, (hint: string) => string]>([
    ["oidcc-rp-initiated-logout-modified-id-token-hint", unsigned],
    ["oidcc-rp-initiated-logout-bad-id-token-hint", () => "nonsense"],
    ["signed by another key", (hint) => `${hint.slice(0, -8)}AAAAAAAA`],
    ["of another issuer", (hint) => withClaims(hint, { iss: "https://other.example.test" })],
    ["of an unknown client", (hint) => withClaims(hint, { aud: "unknown" })],
  ])("a hint that was not issued here is refused with 400 and ends no session: %s", async (_what, change) => {
    const page = await logout({ id_token_hint: change(await hintOf()), post_logout_redirect_uri: after });
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.text).not.toContain("Sign out?");
    expect(await isSignedIn()).toBe(true);
  });

  test("a client_id and its registered address, as Nextcloud sends them: the user must confirm and is then redirected", async () => {
    const page = await logout({ client_id: "mail", post_logout_redirect_uri: after, state: "n" });
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("https://mail.example.test");
    expect((await browser.submit(page, {})).location).toBe(`${after}?state=n`);
  });

  test("with another user's hint, the user must confirm and is not signed out before", async () => {
    const hint = String((await tokensOf("mail", await signIn("bob@example.test")))["id_token"]);
    const page = await logout({ id_token_hint: hint, post_logout_redirect_uri: after });
    expect(page.status).toBe(200);
    expect(await isSignedIn()).toBe(true);
  });

  test("with an old ID token of the same user's other session, the user must confirm and is not signed out before", async () => {
    for (const client of ["mail", "other", "short"]) {
      const old = String((await tokensOf(client, await signIn()))["id_token"]);
      await tokensOf(client);
      const page = await logout({ id_token_hint: old });
      expect([page.status, page.location]).toEqual([200, undefined]);
      expect(page.text).toContain("Sign out?");
      expect(await isSignedIn()).toBe(true);
    }
  });

  test("the form of another browser is rejected with 400", async () => {
    const page = await logout({});
    const other = await signIn("bob@example.test");
    expect((await other.submit(page, {})).status).toBe(400);
    expect(await isSignedIn(other)).toBe(true);
  });

  test.each([
    ["a repeated parameter", "state=a&state=b"],
    ["an unknown client", "client_id=unknown"],
  ])("%s is rejected with 400", async (_what, query) => {
    expect((await browser.get(`/oidc/logout?${query}`)).status).toBe(400);
  });

  test("a client_id that differs from the hint's client is rejected with 400", async () => {
    expect((await logout({ id_token_hint: await hintOf(), client_id: "other" })).status).toBe(400);
  });

  test("a client's POST is redirected to a GET, and a browser without a session needs no confirmation", async () => {
    const posted = await browser.post("/oidc/logout", { client_id: "mail" });
    expect([posted.status, posted.location]).toEqual([302, "/oidc/logout?client_id=mail"]);
    const signedOut = createBrowser(oidc.replicas);
    expect((await logout({}, "/logout/de", signedOut)).location).toBe("/logged_out/de");
    expect((await signedOut.get("/logged_out/de")).status).toBe(200);
  });

  test("tokens of the session are revoked, except those for offline access (OpenID Connect Core §11)", async () => {
    const party = relyingParty(oidc, "mail");
    const { body } = await party.redeem(await party.authorize(browser, { scope: "openid email" }));
    const offline = await tokensOf("other");
    expect((await party.userinfo(body["access_token"])).status).toBe(200);
    await logout({ id_token_hint: String(body["id_token"]) });
    expect((await party.userinfo(body["access_token"])).status).toBe(401);
    expect((await relyingParty(oidc, "other").userinfo(offline["access_token"])).status).toBe(200);
  });
});

describe("back-channel logout", () => {
  test("oidcc-backchannel-rp-initiated-logout, discovery: announces both channels, with sessions", async () => {
    const { body } = await askInTurn(oidc, "/.well-known/openid-configuration");
    expect(body).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
      end_session_endpoint: `${oidc.issuer}/oidc/logout`,
    });
  });

  test("oidcc-backchannel-rp-initiated-logout: the client receives a signed logout token with the sid of its ID token, and nothing else", async () => {
    const hint = await hintOf();
    await logout({ id_token_hint: hint });
    await expect.poll(() => channel.tokens).toHaveLength(1);
    expect([...(channel.bodies[0]?.keys() ?? [])]).toEqual(["logout_token"]);
    const keys = createRemoteJWKSet(new URL(`${oidc.issuer}/oidc/jwks`));
    const { payload, protectedHeader } = await jwtVerify(channel.tokens[0] ?? "", keys, {
      issuer: oidc.issuer,
      audience: "mail",
    });
    expect(protectedHeader).toMatchObject({ typ: "logout+jwt", alg: "RS256", kid: expect.any(String) });
    expect(payload).toEqual({
      iss: oidc.issuer,
      aud: "mail",
      iat: expect.any(Number),
      exp: Number(payload.iat) + 120,
      jti: expect.any(String),
      sub: accountOfTest,
      sid: claimsOf(hint)["sid"],
      typ: "Logout",
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
  });

  test("an unavailable client is notified once when it is available again", async () => {
    channel.status = 503;
    await logout({ id_token_hint: await hintOf() });
    await expect.poll(() => channel.bodies.length).toBeGreaterThan(1);
    expect(channel.tokens).toHaveLength(0);
    channel.status = 200;
    await expect.poll(() => channel.tokens).toHaveLength(1);
    await expect.poll(() => redis.zcard("postern:oidc:{logout-notices}")).toBe(0);
    expect(channel.tokens).toHaveLength(1);
  });

  test("a client that rejects the notification is not notified again", async () => {
    channel.status = 400;
    await logout({ id_token_hint: await hintOf() });
    await expect.poll(() => channel.bodies.length).toBe(1);
    await expect.poll(() => redis.zcard("postern:oidc:{logout-notices}")).toBe(0);
  });
});
