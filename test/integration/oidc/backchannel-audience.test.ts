import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";

let oidc: OidcStack;

beforeAll(async () => {
  oidc = await startOidcStack(undefined, {}, { audience: "mail-api" });
});

afterAll(() => oidc[Symbol.asyncDispose]());

test("a client's token has the configured audience of the back channel, and the gateway accepts it", async () => {
  const response = await fetch(`${oidc.issuer}/oidc/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from("demo-m2m:demo-m2m-secret").toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "service:authenticate" }),
  });
  const { access_token: token } = Object(await response.json());
  expect(decodeJwt(String(token)).aud).toBe("mail-api");
  const answer = await fetch(`${oidc.issuer}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(alice),
  });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
});
