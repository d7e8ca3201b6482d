import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type Header, type RawAnswer } from "../../support/ask-raw.ts";
import { basicOf, caller, sessionId } from "../../support/dialects.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});

afterAll(() => stack[Symbol.asyncDispose]());

type Headers = readonly Header[];

const user = ["Auth-User", alice.username] as const;
const secret = ["Auth-Pass", alice.password] as const;
const protocol = ["Auth-Protocol", "imap"] as const;
const login: Headers = [user, secret, protocol];

const denied: readonly (readonly [what: string, headers: Headers])[] = [
  ["a wrong password", [user, ["Auth-Pass", "wrong"], protocol]],
  ["no password", [user, protocol]],
  ["an unknown user", [["Auth-User", "nobody@example.test"], secret, protocol]],
];

const malformed: readonly (readonly [what: string, headers: Headers])[] = [
  ["Auth-User missing", [secret, protocol]],
  ["Auth-Protocol missing", [user, secret]],
  ["Auth-Pass given twice", [...login, ["auth-pass", "x"]]],
  ["a user name that is not UTF-8", [["Auth-User", "%ff"], secret, protocol]],
  ["invalid Base64", [user, ["Auth-Pass", "!"], protocol, ["Auth-Password-Encoded", "1"]]],
];

async function ask(headers: Headers, query = ""): Promise<RawAnswer> {
  return askRaw(stack.url, {
    path: `/api/v1/auth/header${query}`,
    headers: [caller, ...headers],
  });
}

describe("POST /api/v1/auth/header (contract, Authentication endpoints)", () => {
  test("answers 200, Auth-Status OK, attribute headers in the contract's spelling, and an empty body", async () => {
    const answer = await ask(login);
    expect([answer.status, answer.body]).toEqual([200, ""]);
    expect(answer.header("Auth-Status")).toBe("OK");
    expect(answer.header("Auth-User")).toBe(alice.username);
    expect(answer.header("X-Service-Session")).toMatch(sessionId);
    expect(answer.header("X-Service-Memory-Cache")).toBe("Miss");
    expect(answer.header("X-Service-displayName")).toBe("Alice Example");
    expect(answer.header("X-Service-mail")).toBe(alice.username);
    expect(answer.header("X-Service-uid")).toBe("alice");
    expect(answer.header("X-Service-account")).toBe(alice.username);
    expect(answer.header("Auth-Server")).toBeUndefined();
  });

  test.each(denied)(
    "answers 403, FAIL and null to %s, with Auth-Wait and without attributes",
    async (_what, headers) => {
      const answer = await ask(headers);
      expect([answer.status, answer.header("Auth-Status"), answer.body]).toEqual([403, "FAIL", "null"]);
      expect(answer.header("Auth-Wait")).toBe("1");
      expect(answer.headers.filter(([name]) => name.startsWith("X-Service-")).map(([name]) => name)).toEqual([
        "X-Service-Session",
        "X-Service-Memory-Cache",
      ]);
    },
  );

  test.each(malformed)("answers 400 with a reason to %s", async (_what, headers) => {
    const answer = await ask(headers);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    expect(answer.header("X-Service-Session")).toMatch(sessionId);
  });

  test("accepts percent-encoded and Base64 passwords", async () => {
    const encoded = Buffer.from(alice.password).toString("base64url");
    const escaped = alice.password.replaceAll("-", "%2d");
    expect((await ask([user, ["Auth-Pass", escaped], protocol])).status).toBe(200);
    expect((await ask([user, ["Auth-Pass", encoded], protocol, ["Auth-Password-Encoded", "1"]])).status).toBe(200);
  });

  test("mode=no-auth needs no password; in-memory and cache are accepted", async () => {
    const headers = login.filter(([name]) => name !== "Auth-Pass");
    expect((await ask(headers, "?mode=no-auth")).header("Auth-User")).toBe(alice.username);
    expect((await ask(login, "?in-memory=0&cache=0")).status).toBe(200);
    expect((await ask(login, "?mode=wizard")).status).toBe(400);
  });

  test("uses Client-IP and X-Client-Port of a trusted peer", async () => {
    const answer = await ask([...login, ["Client-IP", "203.0.113.77"], ["X-Client-Port", "4711"]]);
    const line = await logLineOf(stack.gateway, answer.header("X-Service-Session"), "decided");
    expect(line).toMatchObject({ dialect: "header", client_ip: "203.0.113.77" });
  });

  test("ignores them from any other peer", async () => {
    const clientIp = async (): Promise<unknown> => {
      const answer = await ask([...login, ["Client-IP", "203.0.113.77"], ["X-Real-IP", "203.0.113.78"]]);
      return (await logLineOf(stack.gateway, answer.header("X-Service-Session"), "decided"))["client_ip"];
    };
    await stack.reloadGateway({ runtime: { servers: { http: { trusted_proxies: ["192.0.2.0/24"] } } } });
    await expect.poll(clientIp).toBe("127.0.0.1");
    await stack.reloadGateway({});
    await expect.poll(clientIp).toBe("203.0.113.77");
  });

  test("ignores a body", async () => {
    const answer = await askRaw(stack.url, {
      path: "/api/v1/auth/header",
      headers: [caller, ["Content-Type", "application/json"], ...login],
      body: '{"username":"bob"',
    });
    expect([answer.status, answer.header("Auth-User")]).toEqual([200, alice.username]);
  });

  test("answers 401 without the API caller's credentials", async () => {
    expect((await askRaw(stack.url, { path: "/api/v1/auth/header", headers: login })).status).toBe(401);
  });

  test("never logs the password", async () => {
    await ask([user, ["Auth-Pass", "canary-51c7"], protocol]);
    // A faulty user name is reported first, and its password not read.
    await ask([["Auth-User", "%ff"], ["Auth-Pass", "canary-51c7%ff"], protocol]);
    const answer = await ask([user, ["Auth-Pass", "canary-51c7%ff"], protocol]);
    await logLineOf(stack.gateway, answer.header("X-Service-Session"), "malformed request");
    expect(stack.gateway.output()).not.toContain("canary-51c7");
  });
});

test("GET /api/v1/auth/basic answers 404 without auth_basic_endpoint", async () => {
  const headers = { authorization: basicOf(alice.username, alice.password), "auth-protocol": "http" };
  expect((await fetch(`${stack.url}/api/v1/auth/basic`, { headers })).status).toBe(404);
});
