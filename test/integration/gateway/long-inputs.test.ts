import { freePort } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../support/stack.ts";
import { askRaw, type RawRequest, requestOf } from "./raw-answers.ts";

const callback = "http://127.0.0.1:8090/callback";
const form = { "content-type": "application/x-www-form-urlencoded" };
let stack: Stack;

beforeAll(async () => {
  const httpPort = await freePort();
  stack = await startStack({
    redis: true,
    httpPort,
    services: ["idp"],
    settings: {
      identity: {
        frontend: { enabled: true },
        oidc: {
          enabled: true,
          issuer: `http://127.0.0.1:${httpPort}`,
          clients: [{ client_id: "web", client_secret: "web-secret", redirect_uris: [callback], scopes: ["openid"] }],
        },
      },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

function long(length: number): string {
  return "x".repeat(length);
}

test.each([
  ["the state of a logout", { method: "POST", path: "/logout", headers: form, body: `state=${long(20_000)}` }],
  ["the state of a logout, in the URL", { path: `/logout?state=${long(20_000)}` }],
  ["an origin", { path: "/oidc/jwks", headers: { origin: `https://${long(20_000)}` } }],
  ["an origin of a preflight", { method: "OPTIONS", path: "/oidc/token", headers: { origin: long(20_000) } }],
  [
    "an origin at the token endpoint",
    { method: "POST", path: "/oidc/token", headers: { ...form, origin: long(20_000) }, body: "a=b" },
  ],
  ["a scope", { path: `/oidc/authorize?client_id=a&scope=${long(25_000)}` }],
  [
    "a scope at the token endpoint",
    {
      method: "POST",
      path: "/oidc/token",
      headers: form,
      body: `grant_type=client_credentials&scope=${long(25_000)}`,
    },
  ],
  [
    "a scope of a device",
    { method: "POST", path: "/oidc/device", headers: form, body: `client_id=a&scope=${long(25_000)}` },
  ],
  ["a cookie", { path: "/mfa/register/home", headers: { cookie: `service_session=${long(20_000)}` } }],
  ["headers up to the limit", { path: "/login", headers: { "x-a": long(16_000), "x-b": long(16_300) } }],
  ["a language", { path: "/login", headers: { "accept-language": long(30_000) } }],
  ["a flow", { path: `/login?flow=${long(30_000)}` }],
  [
    "a state of an authorization, as a form",
    {
      method: "POST",
      path: "/oidc/authorize",
      headers: form,
      body: `client_id=web&redirect_uri=${callback}&response_type=nothing&state=${long(200_000)}`,
    },
  ],
  ["a SAML request", { path: `/saml/sso?SAMLRequest=${long(30_000)}&RelayState=${long(1000)}` }],
] as const)("a long value sent by a client is never answered with 500: %s", async (_what, request: RawRequest) => {
  const answer = await askRaw(stack.httpPort, requestOf(request));
  expect(answer.status).toBeGreaterThanOrEqual(200);
  expect(answer.status).toBeLessThan(500);
});
