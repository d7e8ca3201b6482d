import { generateKeyPairSync, hash } from "node:crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import type { Browser, Page } from "../../support/browser.ts";
import { signedInBrowser } from "../../support/mail-client.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn } from "../../support/relying-party.ts";

const scopes = ["openid", "profile", "email", "offline_access"];
const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256" }] });

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;

beforeAll(async () => {
  const page = { redirect_uris: [callback], scopes, grant_types: ["implicit"], skip_consent: true };
  const both = {
    ...page,
    client_secret: "both-secret",
    grant_types: ["authorization_code", "refresh_token", "implicit"],
  };
  const codes = { ...page, grant_types: ["authorization_code"] };
  oidc = await startOidcStack(
    [
      { ...page, client_id: "page" },
      { ...page, client_id: "asking", name: "Asking page", skip_consent: false },
      { ...page, client_id: "signed", access_token_type: "jwt" },
      { ...page, client_id: "objects", jwks, request_object_signing_alg: "ES256" },
      { ...both, client_id: "both" },
      { ...both, client_id: "both-signed", access_token_type: "jwt" },
      { ...codes, client_id: "codes", client_secret: "codes-secret" },
      { client_id: "mail", client_secret: "mail-secret", grant_types: [], scopes: [], resource_server: true },
    ],
    {
      response_types_supported: ["code", "id_token", "id_token token"],
      dynamic_registration: {
        enabled: true,
        open: true,
        per_minute: 1000,
        max_pending_per_network: 1000,
        grant_types: ["authorization_code", "refresh_token", "implicit"],
      },
    },
    { shape: "five" },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

beforeEach(async () => {
  browser = signedInBrowser(oidc, await signedIn(redis, alice.username));
});

type Words = Readonly<Record<string, string>>;

function authorize(client: string, more: Words = {}, user = browser): Promise<Page> {
  const query = new URLSearchParams({
    response_type: "id_token token",
    client_id: client,
    redirect_uri: callback,
    scope: scopes.join(" "),
    state: "state-1",
    nonce: "nonce-1",
    ...more,
  });
  for (const [name, value] of Array.from(query)) if (value === "") query.delete(name);
  return user.open(`/oidc/authorize?${query.toString()}`);
}

/** Parameters in the fragment of the redirect to the client. */
function fragmentOf({ location = "", text }: Page): URLSearchParams {
  const url = URL.parse(location);
  if (url === null) throw new Error(`no redirect: ${text.slice(0, 400)}`);
  expect([url.origin + url.pathname, url.search]).toEqual([callback, ""]);
  return new URLSearchParams(url.hash.slice(1));
}

async function verified(idToken: string | null, audience: string): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(`${oidc.issuer}/oidc/jwks`));
  return (await jwtVerify(idToken ?? "", keys, { issuer: oidc.issuer, audience })).payload;
}

async function userinfo(token: string | null, replica: number) {
  const response = await oidc.ask(replica, "/oidc/userinfo", { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, text: await response.text() };
}

async function isActive(token: string | null): Promise<unknown> {
  const headers = { authorization: `Basic ${btoa("mail:mail-secret")}` };
  const body = new URLSearchParams({ token: token ?? "" });
  return (await askInTurn(oidc, "/oidc/introspect", { method: "POST", headers, body })).body["active"];
}

describe("the implicit flow, where the site permits it (OpenID Connect Core §3.2)", () => {
  test("is listed in discovery", async () => {
    const { body } = await askInTurn(oidc, "/.well-known/openid-configuration");
    expect(body["response_types_supported"]).toEqual(["code", "id_token", "id_token token"]);
    expect(body["grant_types_supported"]).toEqual(expect.arrayContaining(["authorization_code", "implicit"]));
    expect(body["response_modes_supported"]).toEqual(expect.arrayContaining(["fragment", "form_post"]));
  });

  test("id_token returns an ID token with the claims of the scopes, and no other token", async () => {
    const page = await authorize("page", { response_type: "id_token" });
    expect(page).toMatchObject({ status: 302 });
    expect(page.headers.get("cache-control")).toContain("no-store");
    const answer = fragmentOf(page);
    expect([...answer.keys()].toSorted()).toEqual(["id_token", "state"]);
    const claims = await verified(answer.get("id_token"), "page");
    expect(claims).toMatchObject({ nonce: "nonce-1", email: alice.username, name: "Alice Example" });
    expect(claims).not.toHaveProperty("at_hash");
  });

  test("an ID token has only the claims of the requested scopes", async () => {
    const answer = fragmentOf(await authorize("page", { response_type: "id_token", scope: "openid" }));
    const claims = await verified(answer.get("id_token"), "page");
    for (const name of ["email", "name", "groups"]) expect(claims).not.toHaveProperty(name);
  });

  test("id_token token also returns an access token, without offline access and refresh token", async () => {
    const answer = fragmentOf(await authorize("page", { scope: scopes.join(" ") }));
    expect([...answer.keys()].toSorted()).toEqual([
      "access_token",
      "expires_in",
      "id_token",
      "scope",
      "state",
      "token_type",
    ]);
    expect(answer.get("scope")).toBe("openid profile email");
    const token = answer.get("access_token") ?? "";
    const claims = await verified(answer.get("id_token"), "page");
    expect(claims["at_hash"]).toBe(hash("sha256", token, "buffer").subarray(0, 16).toString("base64url"));
    expect(claims).not.toHaveProperty("email");
    for (const replica of [0, 1]) {
      const { status, text } = await userinfo(token, replica);
      expect([status, text]).toEqual([200, expect.stringContaining(alice.username)]);
    }
  });

  test("a signed access token says when the user signed in, and userinfo returns the claims that were requested", async () => {
    const claims = JSON.stringify({ userinfo: { email: null } });
    const answer = fragmentOf(await authorize("signed", { scope: "openid", claims }));
    const token = answer.get("access_token");
    expect(claimsOf(token)).toMatchObject({ client_id: "signed", auth_time: expect.any(Number), amr: ["pwd"] });
    expect((await userinfo(token, 1)).text).toContain(alice.username);
  });

  test("form_post and a signed response return the tokens too", async () => {
    const page = await authorize("page", { response_type: "id_token", response_mode: "form_post" });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await verified(answerOf(page).get("id_token"), "page")).toMatchObject({ nonce: "nonce-1" });
    const answer = fragmentOf(await authorize("page", { response_mode: "jwt" }));
    expect(await verified(answer.get("response"), "page")).toHaveProperty("access_token");
  });

  test("consent and its refusal are as for codes", async () => {
    const consentPage = await authorize("asking");
    expect(consentPage.text).toContain("Asking page");
    const refused = await browser.submit(consentPage, { submit: "deny" });
    const [, back = ""] = /href="([^"]*\/oidc\/authorize\/[^"]+)"/.exec(refused.text) ?? [];
    expect(fragmentOf(await browser.open(URL.parse(back, oidc.issuer)?.pathname ?? "")).get("error")).toBe(
      "access_denied",
    );
    const again = await authorize("asking");
    const allowed = await browser.submit(again, { submit: "allow" });
    const answer = fragmentOf(
      allowed.location?.startsWith("/") === true ? await browser.open(allowed.location) : allowed,
    );
    expect(await isActive(answer.get("access_token"))).toBe(true);
  });

  test("the tokens end with the session, at every replica", async () => {
    const answer = fragmentOf(await authorize("page"));
    const token = answer.get("access_token");
    expect(await isActive(token)).toBe(true);
    await browser.open(`/oidc/logout?id_token_hint=${answer.get("id_token")}`);
    for (const replica of [0, 1]) expect((await userinfo(token, replica)).status).toBe(401);
  });

  test.each(["both", "both-signed"])(
    "tokens of the implicit flow end with the session where a code gave offline access to the client (%s)",
    async (client) => {
      const verifier = "v".repeat(43);
      const challenge = {
        code_challenge: hash("sha256", verifier, "buffer").toString("base64url"),
        code_challenge_method: "S256",
      };
      const code = answerOf(await authorize(client, { response_type: "code", ...challenge })).get("code") ?? "";
      const headers = { authorization: `Basic ${btoa(`${client}:both-secret`)}` };
      const form = { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
      const exchanged = await askInTurn(oidc, "/oidc/token", {
        method: "POST",
        headers,
        body: new URLSearchParams(form),
      });
      expect(exchanged.body).toHaveProperty("refresh_token");
      const offline = String(exchanged.body["access_token"]);
      const answer = fragmentOf(await authorize(client));
      const token = answer.get("access_token");
      expect([await isActive(token), await isActive(offline)]).toEqual([true, true]);
      await browser.open(`/oidc/logout?id_token_hint=${answer.get("id_token")}`);
      for (const replica of [0, 1]) {
        expect((await userinfo(token, replica)).status).toBe(401);
        expect((await userinfo(offline, replica)).status).toBe(200);
      }
    },
  );

  test.each([
    ["no nonce", "page", { nonce: "" }, "invalid_request"],
    ["no scope openid", "page", { scope: "email", nonce: "n" }, "invalid_request"],
    ["a client of the code flow", "codes", {}, "unauthorized_client"],
    ["an access token alone", "page", { response_type: "token" }, "unsupported_response_type"],
    ["the hybrid flow", "both", { response_type: "code id_token" }, "unsupported_response_type"],
    ["a request object that is not signed", "objects", { request: "x.y.z" }, "invalid_request_object"],
  ])("%s is refused, in the fragment", async (_what, client, more, error) => {
    const answer = fragmentOf(await authorize(client, more));
    expect([answer.get("error"), answer.get("state")]).toEqual([error, "state-1"]);
    for (const name of ["id_token", "access_token", "code"]) expect(answer.has(name)).toBe(false);
  });

  test("a client with only the implicit flow gets no codes, and the token endpoint does not know the grant", async () => {
    const page = await authorize("page", {
      response_type: "code",
      code_challenge: "c".repeat(43),
      code_challenge_method: "S256",
    });
    expect(answerOf(page).get("error")).toBe("unauthorized_client");
    const body = new URLSearchParams({ grant_type: "implicit", client_id: "page" });
    expect((await askInTurn(oidc, "/oidc/token", { method: "POST", body })).body["error"]).toBe(
      "unsupported_grant_type",
    );
  });

  test("response_mode=query is refused: tokens never reach the query", async () => {
    const answer = answerOf(await authorize("page", { response_mode: "query" }));
    expect([answer.get("error"), answer.has("id_token")]).toEqual(["invalid_request", false]);
  });

  test("prompt=none without a session is refused in the fragment", async () => {
    const stranger = signedInBrowser(oidc, "none=1");
    expect(fragmentOf(await authorize("page", { prompt: "none" }, stranger)).get("error")).toBe("login_required");
  });

  test("a client that registered itself uses only the response types that it named", async () => {
    const metadata = {
      client_name: "Example app",
      redirect_uris: [callback],
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["implicit"],
      response_types: ["id_token"],
    };
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(metadata) };
    const registered = await askInTurn(oidc, "/oidc/register", init);
    expect(registered).toMatchObject({
      status: 201,
      body: { response_types: ["id_token"], grant_types: ["implicit"] },
    });
    const id = String(registered.body["client_id"]);
    const consentPage = await authorize(id, { response_type: "id_token", scope: "openid email" });
    const allowed = await browser.submit(consentPage, { submit: "allow" });
    expect(await verified(fragmentOf(allowed).get("id_token"), id)).toMatchObject({ email: alice.username });
    expect(fragmentOf(await authorize(id)).get("error")).toBe("unauthorized_client");
  });
});
