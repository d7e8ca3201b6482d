import { freePort } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  const httpPort = await freePort();
  const issuer = `http://127.0.0.1:${httpPort}`;
  stack = await startStack({
    redis: true,
    httpPort,
    services: ["idp", "admin"],
    settings: {
      auth: {
        backchannel: {
          oidc_bearer: { enabled: true, issuer },
          jwt: { enabled: true, secret_key: "a-key-of-the-test-of-no-worth-at-all" },
        },
      },
      identity: {
        frontend: { enabled: true },
        oidc: {
          enabled: true,
          issuer,
          clients: [
            {
              client_id: "machine",
              client_secret: "machine-secret-of-the-test",
              grant_types: ["client_credentials"],
              scopes: ["service:authenticate", "service:mfa_write"],
            },
          ],
        },
      },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };

async function ask(url: string, init: RequestInit = {}) {
  const response = await fetch(url, { redirect: "manual", ...init });
  await response.text();
  return { status: response.status, challenge: response.headers.get("www-authenticate") };
}

test.each([
  ["POST", "/api/v1/jwt/token", json, '{"username":"unknown","password":"wrong"}', /^Bearer realm="postern"$/],
  ["POST", "/api/v1/jwt/refresh", { "x-refresh-token": "none" }, undefined, /^Bearer realm="postern"$/],
  ["GET", "/api/v1/config/load", {}, undefined, /^Basic realm="postern", charset="UTF-8", Bearer realm="postern"$/],
  ["GET", "/api/v1/mfa/totp/setup", {}, undefined, /^Cookie realm="postern"$/],
  ["GET", "/mfa/totp/register", { accept: "text/html" }, undefined, /^Cookie realm="postern"$/],
  ["GET", "/oidc/userinfo", {}, undefined, /^Bearer /],
  ["POST", "/oidc/token", form, "grant_type=client_credentials", /^Basic /],
  ["POST", "/oidc/token", form, "grant_type=client_credentials&client_id=machine&client_secret=wrong", /^Basic /],
  ["POST", "/oidc/introspect", form, "token=x&client_id=machine&client_secret=wrong", /^Basic /],
  ["POST", "/oidc/device", form, "client_id=unknown", /^Basic /],
] as const)("401 of %s %s names the ways to authenticate", async (method, path, headers, body, challenge) => {
  expect(await ask(`${stack.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })).toEqual({
    status: 401,
    challenge: expect.stringMatching(challenge),
  });
});

test.each(["adminUrl", "idpUrl"] as const)("a 401 of %s without a caller assertion names them too", async (which) => {
  const { status, challenge } = await ask(`${stack[which]}/api/v1/config/load`, {
    headers: { authorization: basicAuth },
  });
  expect([status, challenge]).toEqual([401, expect.stringMatching(/^\w+ realm="postern"/)]);
});

test("a 403 names the missing scopes, whichever service answers", async () => {
  const response = await fetch(`${stack.url}/oidc/token`, {
    method: "POST",
    headers: form,
    body: "grant_type=client_credentials&client_id=machine&client_secret=machine-secret-of-the-test&scope=service:authenticate",
  });
  const answer: unknown = await response.json();
  const authorization = `Bearer ${String(Reflect.get(Object(answer), "access_token"))}`;
  for (const path of ["/api/v1/sign-ins/abcdefgh", "/api/v1/config/load", "/api/v1/oidc/sessions/alice"]) {
    const { status, challenge } = await ask(`${stack.url}${path}`, { headers: { authorization } });
    expect([path, status, challenge]).toEqual([
      path,
      403,
      'Bearer realm="postern", error="insufficient_scope", scope="service:security service:admin"',
    ]);
  }
});
