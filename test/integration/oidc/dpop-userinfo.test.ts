import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { codeForm, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
let oidc: OidcStack;
let token: string;

function proof(method: string, path: string, bound?: string): Promise<string> {
  const ath = bound === undefined ? {} : { ath: createHash("sha256").update(bound).digest("base64url") };
  const jwk = pair.publicKey.export({ format: "jwk" });
  return new SignJWT({ htm: method, htu: `${oidc.issuer}${path}`, jti: randomUUID(), ...ath })
    .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
    .setIssuedAt()
    .sign(pair.privateKey);
}

async function userinfo(method: string, named: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `DPoP ${token}`, dpop: await proof(named, "/oidc/userinfo", token) };
  const response = await oidc.ask(0, "/oidc/userinfo", { method, headers });
  return { status: response.status, text: await response.text() };
}

beforeAll(async () => {
  oidc = await startOidcStack();
  const redis = await testRedis(oidc.stack.redis?.port ?? 0);
  const form = await codeForm(oidc, { clientId: "demo-web" }, await signedIn(redis));
  redis.disconnect();
  const headers = {
    authorization: `Basic ${btoa("demo-web:demo-web-secret")}`,
    dpop: await proof("POST", "/oidc/token"),
  };
  const response = await oidc.ask(0, "/oidc/token", { method: "POST", headers, body: new URLSearchParams(form) });
  token = Object(await response.json()).access_token;
});

afterAll(() => oidc[Symbol.asyncDispose]());

test.each(["GET", "POST"])("userinfo accepts a proof for %s with that method only", async (method) => {
  const { status, text } = await userinfo(method, method);
  expect([status, JSON.parse(text).sub]).toEqual([200, "alice@example.test"]);
  expect((await userinfo(method === "GET" ? "POST" : "GET", method)).status).toBeGreaterThanOrEqual(400);
});
