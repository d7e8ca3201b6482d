import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { sessionId } from "../../support/dialects.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ engines: 2 });
});

afterAll(() => stack[Symbol.asyncDispose]());

describe("POST /api/v1/auth/json (contract, Authentication endpoints)", () => {
  test("answers 200, Auth-Status OK and the attributes", async () => {
    const { status, headers, body } = await askJson(stack.url, alice);
    expect(status).toBe(200);
    expect(headers.get("auth-status")).toBe("OK");
    expect(headers.get("auth-user")).toBe("alice@example.test");
    expect(headers.get("x-service-session")).toMatch(sessionId);
    expect(headers.get("x-service-memory-cache")).toBe("Miss");
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(JSON.parse(body)).toEqual({
      ok: true,
      account_field: "account",
      totp_secret_field: "",
      backend: 8,
      attributes: {
        displayName: ["Alice Example"],
        mail: ["alice@example.test"],
        uid: ["alice"],
        account: ["alice@example.test"],
      },
    });
  });

  test("answers 403, Auth-Status FAIL and null to a wrong password and to an unknown user", async () => {
    for (const change of [{ password: "wrong" }, { username: "nobody@example.test" }, { password: "" }]) {
      const { status, headers, body } = await askJson(stack.url, { ...alice, ...change });
      expect([status, headers.get("auth-status"), body]).toEqual([403, "FAIL", "null"]);
      expect(headers.get("x-service-session")).toMatch(sessionId);
      expect(headers.get("x-service-memory-cache")).toBe("Miss");
    }
  });

  test("accepts a form", async () => {
    const body = new URLSearchParams(alice).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await askJson(stack.url, body, { headers })).status).toBe(200);
  });

  test("mode=no-auth needs no password", async () => {
    const { username } = alice;
    const known = await askJson(stack.url, { username, protocol: "imap" }, { query: "?mode=no-auth" });
    expect([known.status, known.headers.get("auth-user")]).toEqual([200, username]);
    const unknown = await askJson(stack.url, { username: "nobody", protocol: "imap" }, { query: "?mode=no-auth" });
    expect([unknown.status, unknown.body]).toEqual([403, "null"]);
  });

  test("accepts in-memory=0 and cache=0", async () => {
    expect((await askJson(stack.url, alice, { query: "?in-memory=0&cache=0" })).status).toBe(200);
  });

  test.each([
    ["broken JSON", "{", {}],
    ["another media type", JSON.stringify(alice), { "content-type": "text/plain" }],
    ["an invalid media type", JSON.stringify(alice), { "content-type": "nonsense" }],
    ["a missing username", { password: "x" }, {}],
    ["a body over the limit", { ...alice, password: "x".repeat(1_100_000) }, {}],
  ])("answers 400 with a reason to %s", async (_what, body, headers) => {
    const answer = await askJson(stack.url, body, { headers });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    expect(answer.headers.get("x-service-session")).toMatch(sessionId);
  });

  test("sends header names in the contract's spelling", async () => {
    const { request } = await import("node:http");
    const names = await new Promise<string[]>((resolve, reject) => {
      const headers = { authorization: basicAuth, "content-type": "application/json" };
      const clientRequest = request(`${stack.url}/api/v1/auth/json`, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.rawHeaders.filter((_value, index) => index % 2 === 0));
      });
      clientRequest.on("error", reject);
      clientRequest.end(JSON.stringify(alice));
    });
    expect(names).toEqual(
      expect.arrayContaining([
        "Auth-Status",
        "X-Service-Session",
        "Auth-User",
        "X-Service-Memory-Cache",
        "Content-Type",
      ]),
    );
  });

  test("answers 405 to another method and 404 to an unknown path", async () => {
    expect((await fetch(`${stack.url}/api/v1/auth/json`, { headers: { authorization: basicAuth } })).status).toBe(405);
    expect((await fetch(`${stack.url}/api/v1/nothing`)).status).toBe(404);
  });
});

describe("API callers", () => {
  test.each([
    ["missing", {}],
    ["wrong", { authorization: "Basic YmFja2NoYW5uZWw6d3Jvbmc=" }],
    ["another scheme's", { authorization: "Bearer abc" }],
  ])("%s credentials are rejected with 401 after 300 ms, with a challenge and nothing else", async (_what, headers) => {
    const started = performance.now();
    const response = await fetch(`${stack.url}/api/v1/auth/json`, { method: "POST", headers, body: "{}" });
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("Basic");
    expect(response.headers.get("x-service-session")).toMatch(sessionId);
    expect(await response.text()).toBe("");
  });

  test("a rejection is logged with transport, address and reason, and never with credentials", async () => {
    const canary = "canary-7b1f-password";
    const authorization = `Basic ${Buffer.from(`canary-user:${canary}`).toString("base64")}`;
    await fetch(`${stack.url}/api/v1/auth/json`, { method: "POST", headers: { authorization }, body: "{}" });
    const rejected = stack.gateway
      .output()
      .split("\n")
      .findLast((line) => line.includes("caller rejected"));
    expect(JSON.parse(rejected ?? "{}")).toMatchObject({
      level: "warn",
      transport: "http",
      client_ip: "127.0.0.1",
      reason: "bad_basic",
    });
    expect(stack.gateway.output()).not.toMatch(/canary-|Y2FuYXJ5/);
  });

  test("a user's password appears in no log and no metric of any service", async () => {
    const password = "canary-93d0-password";
    await askJson(stack.url, { ...alice, password });
    await askJson(stack.url, `{"username":"alice","password":"${password}"`);
    // The parser's own message would quote some characters around the mistake.
    const { headers } = await askJson(stack.url, `{"username":"alice","password":${password}}`);
    await logLineOf(stack.gateway, headers.get("x-service-session") ?? undefined, "malformed request");
    const outputs = [stack.gateway, ...stack.engines].flatMap((service) => [service.output()]);
    const metrics = await Promise.all([stack.gateway, ...stack.engines].map((service) => service.metrics()));
    expect([...outputs, ...metrics].join("\n")).not.toContain("canary-93");
  });

  test("outcomes are counted", async () => {
    const metrics = await stack.gateway.metrics();
    expect(metrics).toMatch(/backchannel_caller_auth_total\{outcome="ok_basic"\} [1-9]/);
    expect(metrics).toMatch(/backchannel_caller_auth_total\{outcome="bad_basic"\} [1-9]/);
    expect(metrics).toMatch(/service_logins_total\{result="success"\} [1-9]/);
    expect(metrics).toMatch(/service_logins_total\{result="failure"\} [1-9]/);
  });
});

describe("operations", () => {
  test("the main listener serves /ping, /healthz and /metrics", async () => {
    expect(await (await fetch(`${stack.url}/ping`)).text()).toBe("pong");
    expect(await (await fetch(`${stack.url}/healthz`)).json()).toMatchObject({ checks: { bus: "up" } });
    expect(await (await fetch(`${stack.url}/metrics`)).text()).toContain("service_logins_total");
  });
});
