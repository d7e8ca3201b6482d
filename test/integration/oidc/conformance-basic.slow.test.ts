import { generateKeyPairSync } from "node:crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn, type RelyingParty, relyingParty, type Tokens } from "../../support/relying-party.ts";

const users = ["openid", "profile", "email", "address", "phone", "offline_access"];
const account = "alice@example.test";
const retired = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;
let first: RelyingParty;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes: users, skip_consent: true };
  oidc = await startOidcStack(
    [
      { ...rules, client_id: "first", client_secret: "first-secret" },
      {
        ...rules,
        client_id: "second",
        client_secret: "second-secret",
        token_endpoint_auth_method: "client_secret_post",
      },
      ...["PS256", "ES256", "EdDSA"].map((alg) => ({
        ...rules,
        client_id: alg,
        client_secret: `${alg}-secret`,
        id_token_signed_response_alg: alg,
      })),
    ],
    {
      scopes_supported: users,
      signing_keys: [{ id: "old-key", key: retired, algorithm: "RS256", active: false }],
    },
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
  const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
  browser.cookies.set(name, sid);
});

function refreshAsSecond(secret: string): Promise<Tokens> {
  const form = { client_id: "second", client_secret: secret, grant_type: "refresh_token", refresh_token: "x" };
  return askInTurn(oidc, "/oidc/token", { method: "POST", body: new URLSearchParams(form) });
}

async function tokensOf(more: Readonly<Record<string, string>> = {}, party = first): Promise<Tokens["body"]> {
  const { status, body } = await party.redeem(await party.authorize(browser, more));
  expect([status, body["error"]]).toEqual([200, undefined]);
  return body;
}

const pathOf = (page: Page): string => new URL(page.location ?? "", oidc.issuer).pathname;

describe("configuration", () => {
  test("oidcc-config: discovery describes the endpoints and features", async () => {
    const { body } = await askInTurn(oidc, "/.well-known/openid-configuration", { headers: { host: "evil.example" } });
    expect(body).toMatchObject({
      issuer: oidc.issuer,
      authorization_endpoint: `${oidc.issuer}/oidc/authorize`,
      token_endpoint: `${oidc.issuer}/oidc/token`,
      userinfo_endpoint: `${oidc.issuer}/oidc/userinfo`,
      introspection_endpoint: `${oidc.issuer}/oidc/introspect`,
      revocation_endpoint: `${oidc.issuer}/oidc/revoke`,
      jwks_uri: `${oidc.issuer}/oidc/jwks`,
      end_session_endpoint: `${oidc.issuer}/oidc/logout`,
      device_authorization_endpoint: `${oidc.issuer}/oidc/device`,
      pushed_authorization_request_endpoint: `${oidc.issuer}/oidc/par`,
      response_types_supported: ["code"],
      response_modes_supported: ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"],
      request_parameter_supported: true,
      code_challenge_methods_supported: ["S256"],
      claims_parameter_supported: true,
      request_uri_parameter_supported: false,
      authorization_response_iss_parameter_supported: true,
      subject_types_supported: ["public"],
    });
    expect(body["scopes_supported"]).toEqual(expect.arrayContaining(["openid", "profile", "email"]));
    expect(body["claims_supported"]).toEqual(expect.arrayContaining(["sub", "name", "email"]));
    expect(body["token_endpoint_auth_methods_supported"]).toEqual(
      expect.arrayContaining(["client_secret_basic", "client_secret_post", "private_key_jwt"]),
    );
    expect((await askInTurn(oidc, "/.well-known/oauth-authorization-server")).body["issuer"]).toBe(oidc.issuer);
  });

  test.each(["PS256", "ES256", "EdDSA"])("an ID token can be signed with %s", async (alg) => {
    const { id_token: token } = await tokensOf({}, relyingParty(oidc, alg));
    const keys = createRemoteJWKSet(new URL(`${oidc.issuer}/oidc/jwks`));
    const { protectedHeader } = await jwtVerify(String(token), keys, { issuer: oidc.issuer, audience: alg });
    expect(protectedHeader.alg).toBe(alg);
    expect(protectedHeader.kid).toMatch(/^[\w-]+$/);
  });

  test("an inactive key is published but does not sign, and no private key is published", async () => {
    const { body } = await askInTurn(oidc, "/oidc/jwks");
    expect(JSON.stringify(body)).toContain('"old-key"');
    expect(JSON.stringify(body)).not.toContain('"d"');
    expect(decodeProtectedHeader(String((await tokensOf())["id_token"])).kid).not.toBe("old-key");
  });
});

describe("basic", () => {
  test("oidcc-server, -idtoken-signature, -ensure-request-with-valid-pkce-succeeds: code, tokens, ID token, userinfo", async () => {
    const page = await first.authorize(browser);
    expect(page.status).toBe(302);
    expect(Object.fromEntries(answerOf(page))).toEqual({
      code: expect.stringMatching(/^[\w-]{22,}$/),
      state: "state-1",
      iss: oidc.issuer,
    });
    const { body, headers } = await first.redeem(page);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: expect.any(Number), scope: expect.any(String) });
    const keys = createRemoteJWKSet(new URL(`${oidc.issuer}/oidc/jwks`));
    const { payload, protectedHeader } = await jwtVerify(String(body["id_token"]), keys, {
      issuer: oidc.issuer,
      audience: "first",
    });
    expect(protectedHeader).toMatchObject({ alg: "RS256", kid: expect.any(String) });
    expect(payload).toMatchObject({ nonce: "nonce-1", auth_time: expect.any(Number) });
    expect((await first.userinfo(body["access_token"])).body["sub"]).toBe(payload.sub);
  });

  test("oidcc-userinfo-get, -post-header, -post-body", async () => {
    const token = String((await tokensOf())["access_token"]);
    const post = { method: "POST", headers: { authorization: `Bearer ${token}` } };
    const body = { method: "POST", headers: {}, body: new URLSearchParams({ access_token: token }) };
    for (const init of [{}, post, body]) {
      expect((await first.userinfo(token, init)).body).toMatchObject({ sub: account, email: account });
    }
    const refused = await first.userinfo("nonsense");
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining("invalid_token"),
    ]);
  });

  test("an access token that is sent twice at userinfo is an invalid request (RFC 6750 §3.1)", async () => {
    const token = String((await tokensOf())["access_token"]);
    const once = new URLSearchParams({ access_token: token });
    const twice = new URLSearchParams([...once, ...once]);
    for (const [authorization, body] of [
      [`Bearer ${token}`, once],
      [`DPoP ${token}`, once],
      ["Bearer other", once],
      [undefined, twice],
    ] as const) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await first.userinfo(token, { method: "POST", headers, body });
      expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_request"');
    }
  });

  test("oidcc-ensure-request-without-nonce-succeeds, -alternate-happy-flow, -request-with-unknown-parameter, -display-page, -display-popup, -ui-locales, -claims-locales, -login-hint: the sign-in succeeds", async () => {
    const more = {
      nonce: "",
      unknown: "x",
      display: "popup",
      ui_locales: "se",
      claims_locales: "se",
      login_hint: account,
      state: "s".repeat(128),
    };
    const { id_token: token } = await tokensOf(more);
    expect(claimsOf(token)["nonce"]).toBeUndefined();
  });

  test.each([
    ["profile", "name"],
    ["email", "email"],
  ])("oidcc-scope-%s: the claims are in userinfo and not in the ID token", async (scope, claim) => {
    const body = await tokensOf({ scope: `openid ${scope}` });
    expect((await first.userinfo(body["access_token"])).body[claim]).toBeDefined();
    expect(claimsOf(body["id_token"])[claim]).toBeUndefined();
  });

  test("oidcc-scope-address, -phone, -all: the sign-in succeeds for an account without these attributes", async () => {
    const body = await tokensOf({ scope: "openid profile email address phone" });
    expect((await first.userinfo(body["access_token"])).body).toMatchObject({ sub: account, email: account });
  });

  test("oidcc-claims-essential: a claim requested by name is released", async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } }, id_token: { email: null } });
    const body = await tokensOf({ scope: "openid", claims });
    expect((await first.userinfo(body["access_token"])).body["name"]).toBe("Alice Example");
    expect(claimsOf(body["id_token"])["email"]).toBe(account);
  });

  test("oidcc-prompt-login, -max-age-1, -ensure-request-with-acr-values-succeeds: the user must sign in again", async () => {
    for (const more of [{ prompt: "login" }, { max_age: "1" }, { acr_values: "other" }]) {
      expect(pathOf(await first.authorize(browser, more))).toBe("/login");
    }
  });

  test.each([
    ["oidcc-prompt-login", { prompt: "login" }],
    ["oidcc-max-age-1", { max_age: "1" }],
  ])("%s: a new sign-in has a later auth_time", async (_module, more) => {
    const before = claimsOf((await tokensOf())["id_token"]);
    const login = await browser.get((await first.authorize(browser, more)).location ?? "");
    const resumed = await browser.submit(login, { username: alice.username, password: alice.password });
    const { body } = await first.redeem(await browser.get(pathOf(resumed)));
    const after = claimsOf(body["id_token"]);
    expect(Number(after["auth_time"])).toBeGreaterThan(Number(before["auth_time"]));
    expect(after["sub"]).toBe(before["sub"]);
  });

  test("oidcc-prompt-none-not-logged-in", async () => {
    const page = await first.authorize(createBrowser(oidc.replicas), { prompt: "none" });
    expect(Object.fromEntries(answerOf(page))).toMatchObject({
      error: "login_required",
      state: "state-1",
      iss: oidc.issuer,
    });
  });

  test("oidcc-prompt-none-logged-in, -max-age-10000, -id-token-hint: the same sign-in, the same auth_time", async () => {
    const { id_token: before } = await tokensOf();
    for (const more of [{ prompt: "none" }, { max_age: "10000" }, { prompt: "none", id_token_hint: String(before) }]) {
      const { sub, auth_time: time } = claimsOf((await tokensOf(more))["id_token"]);
      expect([sub, time]).toEqual([claimsOf(before)["sub"], claimsOf(before)["auth_time"]]);
    }
  });

  test("oidcc-codereuse, -codereuse-30seconds: a second use is rejected and revokes the tokens of the first", async () => {
    const page = await first.authorize(browser);
    const { body } = await first.redeem(page);
    expect((await first.userinfo(body["access_token"])).status).toBe(200);
    expect((await first.redeem(page)).body["error"]).toBe("invalid_grant");
    expect((await first.userinfo(body["access_token"])).status).toBe(401);
  });

  test("oidcc-ensure-registered-redirect-uri: an error page in the user's language, without a redirect", async () => {
    const page = await first.authorize(browser, { redirect_uri: "https://evil.example/cb", ui_locales: "de" });
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.text).toContain('lang="de"');
    expect(page.text).toContain("invalid_redirect_uri");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  test("oidcc-ensure-post-request-succeeds: a POST is redirected to a GET", async () => {
    const page = await browser.post("/oidc/authorize", {
      client_id: "first",
      response_type: "code",
      redirect_uri: callback,
    });
    expect([page.status, page.location]).toEqual([302, expect.stringContaining("/oidc/authorize?client_id=first")]);
  });

  test("oidcc-server-client-secret-post", async () => {
    expect((await refreshAsSecond("second-secret")).body["error"]).toBe("invalid_grant");
    const wrong = await refreshAsSecond("wrong");
    expect([wrong.status, wrong.body["error"]]).toEqual([401, "invalid_client"]);
  });

  test("oidcc-refresh-token: accepted from its own client only", async () => {
    const { refresh_token: token } = await tokensOf();
    const form = { grant_type: "refresh_token", refresh_token: String(token) };
    expect((await relyingParty(oidc, "ES256").token(form)).body["error"]).toBe("invalid_grant");
    expect((await first.token(form)).body).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      refresh_expires_in: expect.any(Number),
    });
  });
});

describe("form post", () => {
  test("oidcc-formpost-basic: a page posts code, state and iss, and the code can be redeemed", async () => {
    const page = await first.authorize(browser, { response_mode: "form_post" });
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, expect.stringContaining("no-store")]);
    expect(page.text).toContain("<noscript>");
    expect(Object.fromEntries(answerOf(page))).toMatchObject({ state: "state-1", iss: oidc.issuer });
    expect((await first.redeem(page)).status).toBe(200);
  });

  test("errors are posted as well", async () => {
    const page = await first.authorize(createBrowser(oidc.replicas), { response_mode: "form_post", prompt: "none" });
    expect(answerOf(page).get("error")).toBe("login_required");
  });
});
