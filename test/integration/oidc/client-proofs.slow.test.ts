import { generateKeyPairSync, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import * as client from "openid-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const scope = "service:authenticate";
let oidc: OidcStack;

beforeAll(async () => {
  oidc = await startOidcStack(
    [
      {
        client_id: "signer",
        token_endpoint_auth_method: "private_key_jwt",
        client_public_key: pair.publicKey.export({ type: "spki", format: "pem" }),
        client_public_key_algorithm: "ES256",
        scopes: [scope],
        grant_types: ["client_credentials"],
      },
      { client_id: "m2m", client_secret: "m2m-secret", scopes: [scope], grant_types: ["client_credentials"] },
    ],
    {},
    { shape: "five" },
  );
});

afterAll(() => oidc[Symbol.asyncDispose]());

function assertion(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: "signer",
    sub: "signer",
    aud: oidc.issuer,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256" }).sign(pair.privateKey);
}

async function post(replica: number, path: string, value: string, form: Readonly<Record<string, string>>) {
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const body = new URLSearchParams({ client_assertion: value, client_assertion_type: type, ...form });
  const response = await oidc.ask(replica, path, { method: "POST", body });
  return { status: response.status, body: Object(await response.json()) };
}

const grant = { grant_type: "client_credentials", scope };

test("an assertion is accepted once across both replicas and all endpoints", async () => {
  const value = await assertion();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => post(index % 2, "/oidc/token", value, grant)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ status }) => status))).toEqual(new Set([401]));
  expect((await post(1, "/oidc/introspect", value, { token: "x" })).status).toBe(401);
  expect((await post(1, "/oidc/introspect", await assertion(), { token: "x" })).body).toEqual({ active: false });
});

test.each([
  ["for another audience", { aud: "https://other.test" }],
  ["of another client", { iss: "m2m", sub: "m2m" }],
  ["that is valid for an hour", { exp: Math.floor(Date.now() / 1000) + 3600 }],
  ["that has expired", { exp: Math.floor(Date.now() / 1000) - 3600 }],
  ["without jti", { jti: undefined }],
])("an assertion %s is rejected with 401", async (_what, claims) => {
  for (const [path, form] of [
    ["/oidc/token", grant],
    ["/oidc/introspect", { token: "x" }],
  ] as const) {
    const { status, body } = await post(0, path, await assertion(claims), form);
    expect([path, status, body.error]).toEqual([path, 401, "invalid_client"]);
  }
});

test("a token bound to a key is rejected as a bearer token", async () => {
  const options = { execute: [client.allowInsecureRequests] };
  const relyingParty = await client.discovery(new URL(oidc.issuer), "m2m", "m2m-secret", undefined, options);
  const DPoP = client.getDPoPHandle(relyingParty, await client.randomDPoPKeyPair("ES256"));
  const tokens = await client.clientCredentialsGrant(relyingParty, { scope }, { DPoP });
  expect(tokens.token_type).toBe("dpop");
  const seen = await client.tokenIntrospection(relyingParty, tokens.access_token);
  expect(seen).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt: expect.any(String) } });
  const response = await fetch(`${oidc.issuer}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" },
    body: JSON.stringify(alice),
  });
  expect(response.status).toBe(401);
});
