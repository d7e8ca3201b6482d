import { hash } from "node:crypto";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { oidcAccountKey, type RedisClient } from "@postern/shared/platform/redis";
import { pause } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn, type RelyingParty, relyingParty } from "../../support/relying-party.ts";
import { redisGivenUpSoon } from "../../support/stack-config.ts";

const users = ["openid", "profile", "email", "offline_access"];

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;
let first: RelyingParty;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes: users };
  oidc = await startOidcStack(
    [
      { ...rules, client_id: "first", client_secret: "first-secret", skip_consent: true },
      { ...rules, client_id: "asking", client_secret: "asking-secret" },
      {
        ...rules,
        client_id: "no-codes",
        client_secret: "no-codes-secret",
        grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
      },
      {
        ...rules,
        client_id: "mail-program",
        redirect_uris: ["http://localhost", "https://localhost", "net.example.mail:/oauth"],
        scopes: ["openid"],
      },
      { ...rules, client_id: "page", application_type: "web", scopes: ["openid"] },
      { ...rules, client_id: "desktop", client_secret: "desktop-secret", application_type: "native" },
    ],
    {},
    { gateway: false, more: redisGivenUpSoon },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  first = relyingParty(oidc, "first");
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

beforeEach(async () => {
  browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, "alice@example.test")).split("=");
  browser.cookies.set(name, sid);
});

const form = (body: Record<string, string>) => ({
  method: "POST",
  headers: { authorization: `Basic ${btoa("first:first-secret")}` },
  body: new URLSearchParams(body),
});

describe("errors of authorization requests (RFC 6749 §4.1.2.1)", () => {
  test.each([
    ["no client", { client_id: "" }],
    ["an unknown client", { client_id: "unknown" }],
    ["no redirect URI", { redirect_uri: "" }],
    [
      "no response type for a redirect URI that is not registered",
      { response_type: "", redirect_uri: "https://x.test/" },
    ],
  ])("%s returns a 400 page", async (_what, more) => {
    const page = await first.authorize(browser, more);
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.headers.get("content-type")).toContain("text/html");
  });

  test.each([
    ["invalid_request", { response_type: "" }],
    ["unsupported_response_type", { response_type: "none" }],
    ["account_selection_required", { login_hint: "bob@example.test", prompt: "none" }],
    ["consent_required", { client_id: "asking", login_hint: "bob@example.test", prompt: "none" }],
    ["invalid_request", { prompt: "none login" }],
    ["invalid_request", { max_age: "-1" }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_request", { claims: "no json" }],
    ["request_not_supported", { request: "e30.e30." }],
    ["consent_required", { client_id: "asking", prompt: "none" }],
    ["interaction_required", { acr_values: "mfa", prompt: "none" }],
    ["request_uri_not_supported", { request_uri: "https://client.example/request" }],
    ["registration_not_supported", { registration: "{}" }],
    ["unauthorized_client", { client_id: "no-codes" }],
    ["invalid_scope", { scope: "nothing that:it may:have", nonce: "" }],
    ["invalid_scope", { scope: 'open"id' }],
    ["invalid_target", { resource: "https://elsewhere.example/" }],
  ])("%s is returned to the client with state and iss: %j", async (error, more) => {
    const page = await first.authorize(browser, more);
    expect(page.status).toBe(302);
    expect(Object.fromEntries(answerOf(page))).toMatchObject({ error, state: "state-1", iss: oidc.issuer });
  });

  test("login_required is returned to the client with state and iss", async () => {
    const page = await first.authorize(createBrowser(oidc.replicas), { prompt: "none" });
    expect(Object.fromEntries(answerOf(page))).toMatchObject({
      error: "login_required",
      state: "state-1",
      iss: oidc.issuer,
    });
  });

  test("access_denied is returned to the client with state and iss if the user refuses", async () => {
    const redirect = await first.authorize(browser, { client_id: "asking" });
    const refused = await browser.submit(await browser.open(redirect.location ?? ""), { submit: "deny" });
    expect(refused.status).toBe(403);
    const [, back = ""] = /href="([^"]*\/oidc\/authorize\/[^"]*)"/.exec(refused.text) ?? [];
    const { pathname } = new URL(back, oidc.issuer);
    expect(Object.fromEntries(answerOf(await browser.get(pathname)))).toMatchObject({
      error: "access_denied",
      state: "state-1",
      iss: oidc.issuer,
    });
  });

  test("an unsupported response type is returned in the fragment if its tokens would be", async () => {
    const { location = "" } = await first.authorize(browser, { response_type: "token" });
    const answer = Object.fromEntries(new URLSearchParams(new URL(location).hash.slice(1)));
    expect(answer).toMatchObject({ error: "unsupported_response_type", state: "state-1", iss: oidc.issuer });
  });

  test("access_denied is returned to the client with state and iss if the user cancels the sign-in, even with two clicks", async () => {
    const stranger = createBrowser(oidc.replicas);
    const page = await stranger.open((await first.authorize(stranger)).location ?? "");
    const cancel = () => stranger.post("/login/cancel", hiddenFields(page));
    const clicks = await Promise.all([cancel(), cancel()]);
    const denied = { error: "access_denied", state: "state-1", iss: oidc.issuer };
    for (const { location = "" } of [...clicks, await cancel()]) {
      const { pathname } = new URL(location, oidc.issuer);
      expect(Object.fromEntries(answerOf(await stranger.get(pathname)))).toMatchObject(denied);
    }
  });

  test("a login_hint for another account leads to the sign-in page, one for the same account does not", async () => {
    expect((await first.authorize(browser, { login_hint: "bob@example.test" })).location).toContain("/login");
    for (const hint of ["Alice@Example.Test", "alice", ""]) {
      expect((await first.authorize(browser, { login_hint: hint })).location).toContain(callback);
    }
  });

  test("select_account leads to the sign-in page, and with prompt=none it is an invalid_request", async () => {
    expect((await first.authorize(browser, { prompt: "select_account" })).location).toContain("/login");
    const page = await first.authorize(browser, { prompt: "none select_account" });
    expect(answerOf(page).get("error")).toBe("invalid_request");
  });

  test("server_error is returned to the client with state and iss if the stored account data is corrupt", async () => {
    const name = "damaged@example.test";
    const damaged = createBrowser(oidc.replicas);
    const [cookie = "", sid = ""] = (await signedIn(redis, name)).split("=");
    damaged.cookies.set(cookie, sid);
    const key = oidcAccountKey.build("postern:", hash("sha256", name, "base64url"));
    const ring = createKeyRing([new Secret("test-encryption-secret")], "oidc");
    await redis.set(key, ring.seal("{", key).toString("base64"), "EX", 60);
    const page = await first.authorize(damaged);
    expect(page.status).toBe(302);
    expect(Object.fromEntries(answerOf(page))).toMatchObject({
      error: "server_error",
      state: "state-1",
      iss: oidc.issuer,
    });
  });

  test("a browser whose session was deleted must sign in", async () => {
    await redis.flushall();
    expect((await first.authorize(browser)).location).toContain("/login");
  });
});

/** Consents to a request, and returns how to repeat it without interaction. */
const consented = async (client_id: string, redirect_uri: string) => {
  const request = { client_id, redirect_uri, scope: "openid" };
  const consent = await browser.open((await first.authorize(browser, request)).location ?? "");
  expect((await browser.submit(consent, { submit: "allow", remember: "on" })).location).toContain("code=");
  return async (more: Record<string, string>) =>
    answerOf(await first.authorize(browser, { ...request, prompt: "none", ...more })).get("error");
};

describe("redirect URIs (RFC 9700 §2.1, RFC 8252 §7.3)", () => {
  const elsewhere = "http://127.0.0.1:9999/callback";

  test.each([
    ["first", elsewhere, 400],
    ["page", elsewhere, 400],
    ["desktop", elsewhere, 302],
    ["mail-program", "http://localhost:51234", 302],
    ["mail-program", "https://localhost", 302],
    ["mail-program", "https://localhost:51234", 400],
    ["mail-program", "net.example.mail:/oauth", 302],
  ])("%s may use %s: %d", async (client_id, redirect_uri, status) => {
    const page = await first.authorize(browser, { client_id, redirect_uri });
    expect(page.status).toBe(status);
  });

  test("one consent to a public native client lets no other program of the device obtain codes or learn who is signed in", async () => {
    const errorOf = await consented("mail-program", "http://localhost:51234");
    expect(await errorOf({})).toBe("consent_required");
    expect(await errorOf({ redirect_uri: "http://localhost:9999" })).toBe("consent_required");
    expect(await errorOf({ redirect_uri: "https://localhost" })).toBe("consent_required");
    expect(await errorOf({ redirect_uri: "net.example.mail:/oauth" })).toBe("consent_required");
    expect(await errorOf({ login_hint: "bob@example.test" })).toBe("consent_required");
  });

  test.each(["page", "desktop"])("the consent to %s is remembered", async (client) => {
    expect(await (await consented(client, callback))({})).toBeNull();
  });
});

const pushed = () =>
  askInTurn(oidc, "/oidc/par", form({ response_type: "code", redirect_uri: callback, scope: "openid" }));

describe("while Redis hangs", () => {
  const token = "x".repeat(43);
  let device: Page;
  let consent: Page;

  test("every route responds in bounded time, and works again once Redis is back", async () => {
    const server = oidc.stack.redis;
    if (server === undefined) throw new Error("no Redis");
    const redirect = await first.authorize(browser, { client_id: "asking" });
    consent = await browser.get(redirect.location ?? "");
    device = await browser.get("/oidc/device/verify");
    await pause(server);
    const [answers, published, authorized, refused, pages] = await Promise.all([
      Promise.all([
        askInTurn(oidc, "/oidc/token", form({ grant_type: "refresh_token", refresh_token: token })),
        askInTurn(oidc, "/oidc/introspect", form({ token })),
        askInTurn(oidc, "/oidc/revoke", form({ token })),
        first.userinfo(token),
        pushed(),
      ]),
      Promise.all(
        ["/oidc/jwks", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"].map((path) =>
          askInTurn(oidc, path),
        ),
      ),
      Promise.all([first.authorize(browser), first.authorize(browser, { response_mode: "form_post" })]),
      first.authorize(browser, { redirect_uri: "https://evil.example/cb" }),
      Promise.all([
        browser.get("/oidc/logout"),
        browser.get("/oidc/device/verify"),
        browser.submit(device, { user_code: "BCDF-GHJK" }),
        browser.get(consent.url),
        browser.submit(consent, { submit: "allow" }),
        browser.get(`/oidc/authorize/${"x".repeat(43)}`, { accept: "text/html" }),
      ]),
    ]);
    server.signal("SIGCONT");
    expect(answers.map(({ status, body }) => [status, body["error"]])).toEqual(
      answers.map(() => [500, "server_error"]),
    );
    expect(published.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const page of authorized) {
      expect(Object.fromEntries(answerOf(page))).toMatchObject({
        error: "temporarily_unavailable",
        state: "state-1",
        iss: oidc.issuer,
      });
    }
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    for (const { status, location, text } of pages) {
      expect([status, location]).toEqual([500, undefined]);
      expect(text).toContain("<!doctype html>");
    }
    await expect.poll(async () => (await askInTurn(oidc, "/oidc/introspect", form({ token }))).status).toBe(200);
  });
});
