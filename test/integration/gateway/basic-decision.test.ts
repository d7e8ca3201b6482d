import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { basicOf, sessionId } from "../../support/dialects.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ settings: { runtime: { servers: { http: { auth_basic_endpoint: true } } } } });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function ask(headers: Record<string, string>, method = "GET"): Promise<Response> {
  return fetch(`${stack.url}/api/v1/auth/basic`, { method, headers });
}

describe("GET /api/v1/auth/basic (contract, Authentication endpoints)", () => {
  test("answers 200 without a body to the user's own credentials, without checking an API caller", async () => {
    const response = await ask({
      authorization: basicOf("Alice@Example.test", alice.password),
      "auth-protocol": "http",
    });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("auth-status")).toBe("OK");
    expect(response.headers.get("auth-user")).toBe(alice.username);
    expect(response.headers.get("x-service-session")).toMatch(sessionId);
  });

  test("answers 403 and null to a wrong password, and to the API caller's credentials", async () => {
    for (const authorization of [basicOf(alice.username, "wrong"), basicAuth]) {
      const response = await ask({ authorization, "auth-protocol": "http" });
      expect([response.status, await response.text()]).toEqual([403, "null"]);
      expect(response.headers.get("auth-status")).toBe("FAIL");
    }
  });

  test("answers 400 without Authorization or Auth-Protocol", async () => {
    expect((await ask({ "auth-protocol": "http" })).status).toBe(400);
    expect((await ask({ authorization: basicOf(alice.username, alice.password) })).status).toBe(400);
  });

  test("answers 405 to POST, and 404 to GET where the endpoint is disabled", async () => {
    const headers = { authorization: basicOf(alice.username, alice.password), "auth-protocol": "http" };
    expect((await ask(headers, "POST")).status).toBe(405);
    await stack.reloadGateway({ runtime: { servers: { http: { disabled_endpoints: { auth_basic: true } } } } });
    await expect.poll(async () => (await ask(headers)).status).toBe(404);
  });
});
