import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { calculateJwkThumbprint, decodeProtectedHeader, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf, askInTurn, type Tokens } from "../../support/relying-party.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const proof = generateKeyPairSync("ec", { namedCurve: "P-256" });
const verifier = randomBytes(32).toString("base64url");

let oidc: OidcStack;
let redis: RedisClient;

beforeAll(async () => {
  // Nothing but the profile and what identifies the client.
  oidc = await startOidcStack(
    [
      {
        client_id: "bank",
        profile: "fapi2",
        jwks: JSON.stringify({ keys: [rsa.publicKey.export({ format: "jwk" })] }),
        redirect_uris: [callback],
        scopes: ["openid", "email", "offline_access"],
        skip_consent: true,
      },
      { client_id: "shop", client_secret: "shop-secret", redirect_uris: ["https://shop.example.test/cb"] },
    ],
    {},
    { gateway: false },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
});

const request = {
  response_type: "code",
  redirect_uri: callback,
  scope: "openid offline_access",
  state: "state-1",
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
};

interface Asserted {
  readonly aud?: string | readonly string[];
  readonly alg?: string;
}

async function post(
  path: string,
  form: Readonly<Record<string, string>>,
  { aud = oidc.issuer, alg = "PS256" }: Asserted = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Tokens> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: "bank", sub: "bank", aud, iat: now, exp: now + 60, jti: randomUUID() };
  const body = new URLSearchParams({
    ...form,
    client_id: "bank",
    client_assertion: await new SignJWT(Object(claims)).setProtectedHeader({ alg }).sign(rsa.privateKey),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  return askInTurn(oidc, path, { method: "POST", headers, body });
}

async function proofFor(path: string, key: KeyObject = proof.privateKey): Promise<Record<string, string>> {
  const jwk = proof.publicKey.export({ format: "jwk" });
  const claims = { htm: "POST", htu: `${oidc.issuer}${path}`, iat: Math.floor(Date.now() / 1000), jti: randomUUID() };
  const DPoP = await new SignJWT(claims)
    .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk: { ...jwk, kty: "EC" } })
    .sign(key);
  return { DPoP };
}

test.each<readonly [string, (issuer: string) => Asserted]>([
  ["a list that contains the issuer", (issuer) => ({ aud: [issuer] })],
  ["the endpoint for pushed requests", (issuer) => ({ aud: `${issuer}/oidc/par` })],
  ["the token endpoint", (issuer) => ({ aud: `${issuer}/oidc/token` })],
])("the audience of an assertion cannot be %s", async (_what, asserted) => {
  const { status, body } = await post("/oidc/par", request, asserted(oidc.issuer));
  expect([status, body["error"]]).toEqual([401, "invalid_client"]);
});

test("RS256 is refused, in assertions and request objects", async () => {
  expect((await post("/oidc/par", request, { alg: "RS256" })).status).toBe(401);
  const object = (alg: string) =>
    new SignJWT({ ...request, client_id: "bank" }).setProtectedHeader({ alg }).sign(rsa.privateKey);
  expect((await post("/oidc/par", { request: await object("RS256") })).body["error"]).toBe("invalid_request_object");
  expect((await post("/oidc/par", { request: await object("PS256") })).status).toBe(201);
});

test("a DPoP proof that is signed with RS256 is refused, wherever it is sent", async () => {
  const jwk = rsa.publicKey.export({ format: "jwk" });
  const signed = (path: string, alg: string) =>
    new SignJWT({ htm: "POST", htu: `${oidc.issuer}${path}`, jti: randomUUID() })
      .setProtectedHeader({ typ: "dpop+jwt", alg, jwk: { ...jwk, kty: "RSA" } })
      .setIssuedAt()
      .sign(rsa.privateKey);
  for (const path of ["/oidc/par", "/oidc/token"]) {
    const { status, body } = await post(path, request, {}, { DPoP: await signed(path, "RS256") });
    expect([path, status, body["error"]]).toEqual([path, 400, "invalid_dpop_proof"]);
  }
  expect((await post("/oidc/par", request, {}, { DPoP: await signed("/oidc/par", "PS256") })).status).toBe(201);
});

test("a request_uri of another client is an invalid_request_uri, whatever other parameters are sent (RFC 9126 2.2)", async () => {
  const pushed = await post("/oidc/par", request);
  for (const beside of [{}, { redirect_uri: callback, response_type: "code" }]) {
    const query = new URLSearchParams({
      client_id: "shop",
      request_uri: String(pushed.body["request_uri"]),
      ...beside,
    });
    const page = await createBrowser(oidc.replicas).get(`/oidc/authorize?${query.toString()}`, { accept: "text/html" });
    expect([page.status, page.location]).toEqual([400, undefined]);
    expect(page.text).toContain("(invalid_request_uri)");
  }
});

test("requests must be pushed and use PKCE, tokens are bound, and refresh tokens are kept", async () => {
  const browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis)).split("=");
  browser.cookies.set(name, sid);
  const direct = new URLSearchParams({ ...request, client_id: "bank" });
  expect(answerOf(await browser.get(`/oidc/authorize?${direct.toString()}`)).get("error")).toBe("invalid_request");
  const { code_challenge: _challenge, code_challenge_method: _method, ...withoutPkce } = request;
  expect((await post("/oidc/par", withoutPkce)).body["error"]).toBe("invalid_request");

  const codeOf = async (): Promise<string> => {
    const pushed = await post("/oidc/par", request);
    const query = new URLSearchParams({ client_id: "bank", request_uri: String(pushed.body["request_uri"]) });
    return answerOf(await browser.get(`/oidc/authorize?${query.toString()}`)).get("code") ?? "";
  };
  const grant = { grant_type: "authorization_code", redirect_uri: callback, code_verifier: verifier };
  const unbound = await post("/oidc/token", { ...grant, code: await codeOf() });
  expect(unbound.status).toBe(400);
  const code = await codeOf();
  const { status, body } = await post("/oidc/token", { ...grant, code }, {}, await proofFor("/oidc/token"));
  expect([status, body["token_type"]]).toEqual([200, "DPoP"]);
  expect(decodeProtectedHeader(String(body["id_token"])).alg).toBe("PS256");
  expect(claimsOf(body["id_token"])["aud"]).toBe("bank");
  const introspected = await post("/oidc/introspect", { token: String(body["access_token"]) });
  const jkt = await calculateJwkThumbprint(proof.publicKey);
  expect(introspected.body).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt } });

  const refresh = { grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
  const refreshed = await post("/oidc/token", refresh, {}, await proofFor("/oidc/token"));
  expect([refreshed.status, refreshed.body["refresh_token"]]).toEqual([200, body["refresh_token"]]);
});
