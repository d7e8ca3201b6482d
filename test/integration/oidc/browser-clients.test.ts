import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { askInTurn, relyingParty, type Tokens } from "../../support/relying-party.ts";

const { origin } = new URL(callback);
const foreign = "https://other.example.test";

let oidc: OidcStack;
let browser: Browser;

beforeAll(async () => {
  const rules = { redirect_uris: [callback], scopes: ["openid", "profile", "email"], skip_consent: true };
  oidc = await startOidcStack([
    { ...rules, client_id: "page", client_secret: "page-secret" },
    ...["RS256", "EdDSA"].map((alg) => ({
      ...rules,
      client_id: `signed-${alg}`,
      client_secret: `signed-${alg}-secret`,
      userinfo_signed_response_alg: alg,
    })),
  ]);
  const redis = await testRedis(oidc.stack.redis?.port ?? 0);
  const [name = "", sid = ""] = (await signedIn(redis)).split("=");
  redis.disconnect();
  browser = createBrowser(oidc.replicas);
  browser.cookies.set(name, sid);
});

afterAll(() => oidc[Symbol.asyncDispose]());

async function tokenOf(client: string): Promise<string> {
  const party = relyingParty(oidc, client);
  const { body } = await party.redeem(await party.authorize(browser, { scope: "openid profile email" }));
  return String(body["access_token"]);
}

function corsOf({ status, headers }: Tokens) {
  return { status, origin: headers.get("access-control-allow-origin"), vary: headers.get("vary") };
}

const userinfo = (token: string, from: string): Promise<Tokens> =>
  askInTurn(oidc, "/oidc/userinfo", { headers: { authorization: `Bearer ${token}`, origin: from } });

const revoke = (token: string, from: string): Promise<Tokens> =>
  askInTurn(oidc, "/oidc/revoke", {
    method: "POST",
    headers: { authorization: `Basic ${btoa("page:page-secret")}`, origin: from },
    body: new URLSearchParams({ token }),
  });

describe("a page in the browser (CORS)", () => {
  test("reads userinfo and revokes tokens from an origin of the client's redirect URIs only", async () => {
    const token = await tokenOf("page");
    const read = await userinfo(token, origin);
    expect(corsOf(read)).toEqual({ status: 200, origin, vary: "Origin" });
    expect(read.body["sub"]).toBe("alice@example.test");
    expect(read.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    expect(corsOf(await userinfo(token, foreign))).toEqual({ status: 400, origin: null, vary: "Origin" });
    expect(corsOf(await revoke(token, foreign))).toEqual({ status: 400, origin: null, vary: "Origin" });
    expect((await userinfo(token, origin)).status).toBe(200);
    expect(corsOf(await revoke(token, origin))).toEqual({ status: 200, origin, vary: "Origin" });
    expect((await userinfo(token, origin)).status).toBe(401);
  });

  test("reads errors of requests whose client is not known, as at the token endpoint", async () => {
    expect(corsOf(await userinfo("unknown", foreign))).toEqual({ status: 401, origin: foreign, vary: "Origin" });
    const headers = { origin: foreign };
    const body = new URLSearchParams({ token: "x", client_id: "unknown" });
    for (const path of ["/oidc/revoke", "/oidc/token"]) {
      const { status, origin: allowed } = corsOf(await askInTurn(oidc, path, { method: "POST", headers, body }));
      expect([path, status >= 400, allowed]).toEqual([path, true, foreign]);
    }
  });

  test("asks before it sends a token", async () => {
    const preflight = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    };
    for (const path of ["/oidc/userinfo", "/oidc/revoke"]) {
      const { status, headers } = await askInTurn(oidc, path, { method: "OPTIONS", headers: preflight });
      expect([status, headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    }
  });
});

describe("signed responses of userinfo (OpenID Connect Core 5.3.2)", () => {
  test.each(["RS256", "EdDSA"])("%s: the claims are a JWT of this issuer for the client", async (alg) => {
    const response = await oidc.ask(0, "/oidc/userinfo", {
      headers: { authorization: `Bearer ${await tokenOf(`signed-${alg}`)}` },
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^application\/jwt/),
    ]);
    const keys = createRemoteJWKSet(new URL(`${oidc.issuer}/oidc/jwks`));
    const { payload, protectedHeader } = await jwtVerify(await response.text(), keys, {
      issuer: oidc.issuer,
      audience: `signed-${alg}`,
    });
    expect(protectedHeader.alg).toBe(alg);
    expect(payload).toMatchObject({ sub: "alice@example.test", email: "alice@example.test", name: "Alice Example" });
  });

  test("discovery lists the algorithms in use, and the key of EdDSA is published because a client needs it", async () => {
    const document = (await askInTurn(oidc, "/.well-known/openid-configuration")).body;
    for (const name of ["userinfo_signing_alg_values_supported", "id_token_signing_alg_values_supported"]) {
      expect(Object(document[name]).toSorted()).toEqual(["ES256", "EdDSA", "PS256", "RS256"]);
    }
    const { keys } = Object((await askInTurn(oidc, "/oidc/jwks")).body);
    expect(keys.map(({ kty }: { kty: string }) => kty)).toContain("OKP");
  });
});
