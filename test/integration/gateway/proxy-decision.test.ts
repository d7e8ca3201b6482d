import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type RawAnswer, type RawRequest } from "../../support/ask-raw.ts";
import { caller, type DialectLogin, loginRequest, sessionId } from "../../support/dialects.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    settings: {
      runtime: { naming: { proxy_segment: "nginx" } },
      auth: {
        pipeline: { local_cache_ttl: "0s" },
        upstreams: { imap: { address: "192.0.2.1", port: 1143 }, smtp: { address: "2001:db8::1", port: 25 } },
      },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

/** nginx sends GET over HTTP/1.0. */
async function ask(login: DialectLogin, request: Partial<RawRequest> = {}): Promise<RawAnswer> {
  const asNginx = { version: "1.0", path: "/api/v1/auth/nginx" } as const;
  return askRaw(stack.url, { ...loginRequest("proxy", { attempt: 1, ...login }), ...asNginx, ...request });
}

describe("GET or POST /api/v1/auth/<proxy_segment> (contract, Authentication endpoints)", () => {
  test.each([
    ["imap", "192.0.2.1", "1143"],
    ["smtp", "2001:db8::1", "25"],
  ])("answers a success for %s with 200, Auth-Server and Auth-Port", async (protocol, server, port) => {
    for (const method of ["GET", "POST"]) {
      const answer = await ask({ protocol }, { method });
      expect([answer.status, answer.body]).toEqual([200, ""]);
      expect(answer.header("Auth-Status")).toBe("OK");
      expect(answer.header("Auth-User")).toBe(alice.username);
      expect([answer.header("Auth-Server"), answer.header("Auth-Port")]).toEqual([server, port]);
      expect(answer.header("X-Service-Session")).toMatch(sessionId);
      expect(answer.header("X-Service-Memory-Cache")).toBe("Miss");
      expect(answer.header("Connection")).toBe("close");
    }
  });

  test("answers a failure with 200, FAIL, Auth-Wait and null", async () => {
    const answer = await ask({ password: "wrong" });
    expect([answer.status, answer.header("Auth-Status"), answer.body]).toEqual([200, "FAIL", "null"]);
    expect(answer.header("Auth-Wait")).toBe("1");
    expect(answer.header("Auth-Server")).toBeUndefined();
    expect(answer.header("Auth-Error-Code")).toBeUndefined();
  });

  test("answers a success for a protocol without an upstream as a temporary failure, and logs it", async () => {
    const answer = await ask({ protocol: "sieve" });
    expect([answer.status, answer.header("Auth-Status")]).toEqual([200, "Temporary server problem, try again later"]);
    const line = await logLineOf(
      stack.gateway,
      answer.header("X-Service-Session"),
      "no upstream is configured for the protocol",
    );
    expect(line).toMatchObject({ level: "warn", protocol: "sieve" });
  });

  test.each([
    ["X-Real-IP", "198.51.100.4"],
    ["X-Forwarded-For", "192.0.2.9, 198.51.100.4"],
  ])("uses %s of a trusted peer as the client address if Client-IP is missing", async (name, value) => {
    const headers = [
      caller,
      ["Auth-User", alice.username],
      ["Auth-Pass", alice.password],
      ["Auth-Protocol", "imap"],
      [name, value],
    ] as const;
    const answer = await ask({}, { headers });
    const line = await logLineOf(stack.gateway, answer.header("X-Service-Session"), "decided");
    expect(line).toMatchObject({ dialect: "proxy", client_ip: "198.51.100.4" });
  });

  test("answers 400 if headers are missing", async () => {
    const answer = await ask({}, { headers: [caller] });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
  });

  test("answers 404 on the default path then", async () => {
    expect((await ask({}, { path: "/api/v1/auth/proxy" })).status).toBe(404);
  });

  test("applies auth.upstreams and proxy_denial_text without a restart", async () => {
    const text = "Invalid login or password";
    await stack.reloadGateway({
      auth: { response: { proxy_denial_text: text }, upstreams: { imap: { port: 2143 } } },
    });
    await expect.poll(async () => (await ask({})).header("Auth-Port")).toBe("2143");
    expect((await ask({ password: "wrong" })).header("Auth-Status")).toBe(text);
  });

  test("answers a temporary failure with 200 and the message, and with Auth-Error-Code for smtp only", async () => {
    await Promise.all(stack.engines.map((engine) => engine.stop()));
    for (const [protocol, code] of [
      ["imap", undefined],
      ["smtp", "451 4.3.0"],
    ]) {
      const answer = await ask({ protocol: protocol ?? "" });
      expect(answer.status).toBe(200);
      expect(answer.header("Auth-Status")).toBe("Temporary server problem, try again later");
      expect(answer.header("Auth-Error-Code")).toBe(code);
      expect(answer.header("Auth-Wait")).toBeUndefined();
      expect(JSON.parse(answer.body)).toEqual({ error: "Temporary server problem, try again later" });
    }
  });
});
