import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { askToken, authorize, claimsOf, codeForm, signedIn } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";

let oidc: OidcStack;
let redis: RedisClient;
let cookie: string;

beforeAll(async () => {
  oidc = await startOidcStack(undefined, {}, { shape: "five" });
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
  cookie = await signedIn(redis);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

const web = { clientId: "demo-web" };

async function introspect(token: unknown, replica = 0): Promise<Record<string, unknown>> {
  const response = await oidc.ask(replica, "/oidc/introspect", {
    method: "POST",
    headers: { authorization: `Basic ${btoa("demo-dovecot:demo-dovecot-secret")}` },
    body: new URLSearchParams({ token: String(token) }),
  });
  return Object(await response.json());
}

async function readUserinfo(token: unknown) {
  const response = await fetch(`${oidc.issuer}/oidc/userinfo`, {
    headers: { authorization: `Bearer ${String(token)}` },
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

describe("authorization requests", () => {
  test("a browser without a session is redirected to the sign-in page with 302", async () => {
    const { status, location } = await authorize(oidc, web);
    expect([status, location?.pathname]).toEqual([302, "/login"]);
  });

  test("a signed-in browser gets a code without a sign-in page, with state and iss", async () => {
    const { status, location } = await authorize(oidc, web, cookie);
    expect(status).toBe(302);
    expect(location?.href).toContain(callback);
    expect(location?.searchParams.get("state")).toBe("state-1");
    expect(location?.searchParams.get("iss")).toBe(oidc.issuer);
  });

  test.each([
    ["an unknown client", { client_id: "unknown" }],
    ["a missing client", { client_id: "" }],
    ["an unregistered redirect URI", { redirect_uri: "http://127.0.0.1:8090/other" }],
    ["a missing redirect URI", { redirect_uri: "" }],
  ])("%s returns a 400 page and no redirect", async (_what, more) => {
    const { status, location, text } = await authorize(oidc, { ...web, more }, cookie);
    expect([status, location]).toEqual([400, undefined]);
    expect(text).toContain("<!doctype html>");
  });

  // The last two are the implicit flow, which a site must permit.
  test.each(["token", "id_token", "id_token token"])(
    "the unsupported response_type %s redirects with an error in the fragment, where that type would be answered",
    async (type) => {
      const { status, location } = await authorize(oidc, { ...web, more: { response_type: type } }, cookie);
      const answer = new URLSearchParams(location?.hash.slice(1));
      expect([status, answer.get("error"), answer.get("state")]).toEqual([302, "unsupported_response_type", "state-1"]);
    },
  );

  test("a repeated parameter returns a 400 page", async () => {
    const query = `response_type=code&client_id=demo-web&redirect_uri=${encodeURIComponent(callback)}&scope=openid&scope=email`;
    const response = await fetch(`${oidc.issuer}/oidc/authorize?${query}`, { redirect: "manual" });
    await response.arrayBuffer();
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test.each([
    ["a missing response_type", { response_type: "" }, true, "invalid_request"],
    ["prompt=none without a session", { prompt: "none" }, false, "login_required"],
    ["a plain code challenge", { code_challenge_method: "plain" }, true, "invalid_request"],
    ["a request object", { request: "x" }, true, "request_not_supported"],
    ["prompt=none with another value", { prompt: "none login" }, true, "invalid_request"],
  ])("%s redirects to the client with an error", async (_what, more, isSignedIn, error) => {
    const { status, location } = await authorize(oidc, { ...web, more }, isSignedIn ? cookie : undefined);
    expect([status, location?.searchParams.get("error")]).toEqual([302, error]);
    expect(location?.searchParams.get("state")).toBe("state-1");
    expect(location?.searchParams.get("iss")).toBe(oidc.issuer);
  });

  test("a public client needs PKCE", async () => {
    const more = { code_challenge: "", code_challenge_method: "" };
    const { location } = await authorize(oidc, { clientId: "demo-spa", more }, cookie);
    expect(location?.searchParams.get("error")).toBe("invalid_request");
  });

  test("max_age compares the time of the sign-in, and prompt=login requires a new sign-in", async () => {
    expect((await authorize(oidc, { ...web, more: { max_age: "10" } }, cookie)).location?.pathname).toBe("/login");
    expect((await authorize(oidc, { ...web, more: { max_age: "600" } }, cookie)).location?.pathname).toBe("/callback");
    expect((await authorize(oidc, { ...web, more: { prompt: "login" } }, cookie)).location?.pathname).toBe("/login");
  });

  test("POST and a language suffix are accepted; another suffix returns 404", async () => {
    const form = { response_type: "code", client_id: "demo-web", redirect_uri: callback, scope: "openid" };
    const posted = await fetch(`${oidc.issuer}/oidc/authorize`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(form),
    });
    expect([posted.status, posted.headers.get("location")?.startsWith("/oidc/authorize?")]).toEqual([302, true]);
    const query = new URLSearchParams(form).toString();
    const german = await fetch(`${oidc.issuer}/oidc/authorize/de?${query}`, { redirect: "manual" });
    expect([german.status, new URL(german.headers.get("location") ?? "", oidc.issuer).pathname]).toEqual([
      302,
      "/login",
    ]);
    for (const tag of ["DE", "de-DE", "de-at-1996", "xx"])
      expect((await fetch(`${oidc.issuer}/oidc/authorize/${tag}?${query}`, { redirect: "manual" })).status).toBe(302);
    expect((await fetch(`${oidc.issuer}/oidc/authorize/no-such-thing-here?${query}`)).status).toBe(404);
  });

  test("form_post returns a page that submits itself or has a button", async () => {
    const { status, text } = await authorize(oidc, { ...web, more: { response_mode: "form_post" } }, cookie);
    expect(status).toBe(200);
    expect(text).toContain('name="code"');
    expect(text).toContain("noscript");
  });
});

describe("codes and their tokens", () => {
  test("code, ID token, userinfo and introspection agree", async () => {
    const form = await codeForm(oidc, web, cookie);
    const { status, body, headers } = await askToken(oidc, form, { replica: 1, client: "demo-web" });
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body["refresh_expires_in"]).toBe(720 * 3600);
    const id = claimsOf(body["id_token"]);
    expect(id).toMatchObject({ iss: oidc.issuer, sub: "alice@example.test", aud: "demo-web", nonce: "nonce-1" });
    expect(id["auth_time"]).toBeLessThanOrEqual(Number(id["iat"]) - 60);
    expect(id["amr"]).toEqual(["pwd"]);
    expect(await introspect(body["access_token"])).toMatchObject({
      active: true,
      username: "alice@example.test",
      email: "alice@example.test",
      client_id: "demo-web",
      sub: "alice@example.test",
      aud: "demo-web",
      token_type: "Bearer",
    });
    const userinfo = await readUserinfo(body["access_token"]);
    expect(userinfo.body).toEqual({
      sub: "alice@example.test",
      name: "Alice Example",
      preferred_username: "alice@example.test",
      email: "alice@example.test",
    });
  });

  test("a client configured for JWTs gets them, with the same claims from userinfo and introspection", async () => {
    const form = await codeForm(oidc, { clientId: "demo-jwt" }, cookie);
    const { body } = await askToken(oidc, form, { client: "demo-jwt" });
    const claims = claimsOf(body["access_token"]);
    expect(claims).toMatchObject({ aud: "demo-jwt", sub: "alice@example.test", token_type: "access_token" });
    expect((await readUserinfo(body["access_token"])).body).toMatchObject({ email: "alice@example.test" });
    expect(await introspect(body["access_token"], 1)).toMatchObject({ active: true, username: "alice@example.test" });
    // The identifier in the token cannot be used as a token.
    expect(await introspect(claims["jti"])).toEqual({ active: false });
  });

  test.each(["demo-web", "demo-jwt"])(
    "100 parallel redemptions of one code of %s over two replicas succeed at most once, and no token remains",
    async (clientId) => {
      const form = await codeForm(oidc, { clientId }, cookie);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => askToken(oidc, form, { replica: index % 2, client: clientId })),
      );
      const issued = answers.filter(({ status }) => status === 200);
      expect(issued.length).toBeLessThanOrEqual(1);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(new Set(refused.map(({ body }) => body["error"]))).toEqual(new Set(["invalid_grant"]));
      for (const { body } of issued) {
        expect(await introspect(body["access_token"])).toEqual({ active: false });
        const refresh = { grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
        expect((await askToken(oidc, refresh, { client: clientId })).body["error"]).toBe("invalid_grant");
        // The gateway verifies signed tokens itself and reads only the list of denied ones.
        if (clientId !== "demo-jwt") continue;
        const { jti } = claimsOf(body["access_token"]);
        expect(await redis.exists(`postern:token:denied:{${String(jti)}}`)).toBe(1);
      }
    },
  );

  test("an attempt by another client or with a wrong verifier does not consume the code", async () => {
    const form = await codeForm(oidc, web, cookie);
    expect((await askToken(oidc, form, { client: "demo-jwt" })).body["error"]).toBe("invalid_grant");
    const wrong = { ...form, code_verifier: "x".repeat(43) };
    expect((await askToken(oidc, wrong, { client: "demo-web" })).body["error"]).toBe("invalid_grant");
    expect((await askToken(oidc, form, { client: "demo-web" })).status).toBe(200);
  });

  test("a second use of a code revokes its tokens immediately", async () => {
    const form = await codeForm(oidc, web, cookie);
    const { body } = await askToken(oidc, form, { client: "demo-web" });
    expect((await readUserinfo(body["access_token"])).status).toBe(200);
    expect((await askToken(oidc, form, { replica: 1, client: "demo-web" })).body["error"]).toBe("invalid_grant");
    expect((await readUserinfo(body["access_token"])).status).toBe(401);
    expect(await introspect(body["access_token"])).toEqual({ active: false });
    // The user is still signed in.
    expect((await askToken(oidc, await codeForm(oidc, web, cookie), { client: "demo-web" })).status).toBe(200);
  });

  test("userinfo rejects the access token after the refresh token was revoked", async () => {
    const form = await codeForm(oidc, web, cookie);
    const { body } = await askToken(oidc, form, { client: "demo-web" });
    const revoked = await oidc.ask(1, "/oidc/revoke", {
      method: "POST",
      headers: { authorization: `Basic ${btoa("demo-web:demo-web-secret")}` },
      body: new URLSearchParams({ token: String(body["refresh_token"]) }),
    });
    expect(revoked.status).toBe(200);
    const { status, headers } = await readUserinfo(body["access_token"]);
    expect([status, headers.get("www-authenticate")]).toEqual([401, expect.stringContaining("invalid_token")]);
  });
});

describe("refresh tokens", () => {
  test("40 parallel refreshes on two replicas get the same successor, and its ID token repeats the nonce", async () => {
    const form = await codeForm(oidc, web, cookie);
    const first = await askToken(oidc, form, { client: "demo-web" });
    const refresh = { grant_type: "refresh_token", refresh_token: String(first.body["refresh_token"]) };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => askToken(oidc, refresh, { replica: index % 2, client: "demo-web" })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(answers.map(({ body }) => body["refresh_token"]));
    expect(successors.size).toBe(1);
    expect(successors.has(first.body["refresh_token"])).toBe(false);
    expect(claimsOf(answers[0]?.body["id_token"])["nonce"]).toBe("nonce-1");
    const next = { grant_type: "refresh_token", refresh_token: String([...successors][0]) };
    expect((await askToken(oidc, next, { client: "demo-web" })).status).toBe(200);
  });

  test("a requested scope wider than the token's is narrowed, not rejected", async () => {
    const form = await codeForm(oidc, { ...web, scope: "openid email offline_access" }, cookie);
    const { body } = await askToken(oidc, form, { client: "demo-web" });
    const refresh = { grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
    const { status, body: next } = await askToken(
      oidc,
      { ...refresh, scope: "openid profile email groups" },
      { client: "demo-web" },
    );
    expect([status, next["scope"]]).toEqual([200, "openid email"]);
  });
});

test("a pushed authorization request leads to a code", async () => {
  const pushed = await oidc.ask(0, "/oidc/par", {
    method: "POST",
    headers: { authorization: `Basic ${btoa("demo-web:demo-web-secret")}` },
    body: new URLSearchParams({
      response_type: "code",
      redirect_uri: callback,
      scope: "openid",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    }),
  });
  const answered = Object(await pushed.json());
  expect([pushed.status, answered]).toEqual([201, expect.anything()]);
  const { request_uri }: { request_uri: string } = answered;
  const query = new URLSearchParams({ client_id: "demo-web", request_uri });
  const response = await fetch(`${oidc.issuer}/oidc/authorize?${query.toString()}`, {
    redirect: "manual",
    headers: { cookie },
  });
  expect(new URL(response.headers.get("location") ?? "").searchParams.get("code")).toEqual(expect.any(String));
});

test("a device gets a device code, a user code and the polling interval", async () => {
  const response = await oidc.ask(0, "/oidc/device", {
    method: "POST",
    body: new URLSearchParams({ client_id: "demo-device", scope: "openid offline_access" }),
  });
  const body: Record<string, unknown> = Object(await response.json());
  expect(body).toMatchObject({ expires_in: 600, interval: 1, verification_uri: `${oidc.issuer}/oidc/device/verify` });
  expect(body["user_code"]).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
});

test("Redis contains no readable tokens or user names", async () => {
  const form = await codeForm(oidc, web, cookie);
  const open = await redisContent(redis);
  const { body } = await askToken(oidc, form, { client: "demo-web" });
  const content = open + (await redisContent(redis));
  for (const secret of [form["code"], body["access_token"], body["refresh_token"], "alice"]) {
    expect(content).not.toContain(String(secret));
  }
});
