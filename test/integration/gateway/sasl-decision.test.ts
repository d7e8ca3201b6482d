import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { askRaw, type RawAnswer } from "../../support/ask-raw.ts";
import { caller, formType, sessionId } from "../../support/dialects.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ shape: "five" });
});

afterAll(() => stack[Symbol.asyncDispose]());

/** The request of saslauthd's httpform module, with the format string of docs/connect/saslauthd.md. */
async function saslauthd(body: string, path = "/api/v1/auth/sasl"): Promise<RawAnswer> {
  return askRaw(stack.url, {
    path,
    headers: [["User-Agent", "saslauthd"], ["Accept", "*/*"], caller, ["Content-Type", formType]],
    body,
  });
}

const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

describe("POST /api/v1/auth/sasl (contract, Authentication endpoints)", () => {
  test("answers 200 with Auth-Status OK, Auth-User and X-Service-Session, and an empty body", async () => {
    const fields = { protocol: "smtp", port: "587", method: "plain", tls: "on", security: "TLSv1.3", user_agent: "p" };
    const answer = await saslauthd(
      form({ ...fields, username: "alice", realm: "example.test", password: alice.password }),
    );
    expect([answer.status, answer.body]).toEqual([200, ""]);
    expect(answer.header("Auth-Status")).toBe("OK");
    expect(answer.header("Auth-User")).toBe(alice.username);
    expect(answer.header("X-Service-Session")).toMatch(sessionId);
    expect(answer.header("X-Service-Memory-Cache")).toBe("Miss");
    expect(answer.header("X-Service-mail")).toBeUndefined();
    const line = await logLineOf(stack.gateway, answer.header("X-Service-Session"), "decided");
    expect(line).toMatchObject({ dialect: "sasl", protocol: "smtp", tls: true });
  });

  test("answers 403 and null to a wrong password", async () => {
    const answer = await saslauthd(form({ username: alice.username, realm: "", password: "wrong" }));
    expect([answer.status, answer.header("Auth-Status"), answer.body]).toEqual([403, "FAIL", "null"]);
  });

  test.each(["", "username=alice", "username=%ff&password=x", "username=a&username=b&password=c"])(
    "answers 400 to the form %j",
    async (body) => {
      const answer = await saslauthd(body);
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    },
  );

  test("answers 400 to JSON", async () => {
    const answer = await askRaw(stack.url, {
      path: "/api/v1/auth/sasl",
      headers: [caller, ["Content-Type", "application/json"]],
      body: JSON.stringify(alice),
    });
    expect(answer.status).toBe(400);
  });

  test.each(["header", "json", "proxy", "sasl"])("404 where %s is disabled", async (name) => {
    await stack.reloadGateway({ runtime: { servers: { http: { disabled_endpoints: { [`auth_${name}`]: true } } } } });
    const path = `/api/v1/auth/${name}`;
    await expect.poll(async () => (await saslauthd("", path)).status).toBe(404);
  });

  test("answers 500 and {error} while no engine can decide", async () => {
    await stack.reloadGateway({});
    const body = form({ username: alice.username, password: alice.password });
    await expect.poll(async () => (await saslauthd(body)).status).toBe(200);
    await Promise.all(stack.engines.map((engine) => engine.stop()));
    const answer = await saslauthd(body);
    expect(answer.status).toBe(500);
    expect(answer.header("Auth-Status")).toBe("Temporary server problem, try again later");
    expect(JSON.parse(answer.body)).toEqual({ error: "Temporary server problem, try again later" });
  });
});
