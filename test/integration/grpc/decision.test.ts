import { status } from "@grpc/grpc-js";
import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { sessionId } from "../../support/dialects.ts";
import { authMethod, type Called, type CallOptions, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { settledOrder } from "../../support/settled-order.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;
let client: GrpcClient;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  stack = await startStack({
    shape: "five",
    settings: { runtime: { servers: { grpc: { authority: { enabled: true, address } } } } },
  });
  client = grpcClient(address);
});

afterAll(async () => {
  client[Symbol.dispose]();
  await stack[Symbol.asyncDispose]();
});

const ask = (message: object, options: CallOptions = {}): Promise<Called> =>
  client.call(authMethod("Authenticate"), message, { authorization: basicAuth, ...options });

const inFlight = (count: number): Promise<true> =>
  poll(`${count} requests in flight`, async () =>
    (await stack.gateway.metrics()).includes(`service_auth_in_flight ${count}\n`),
  );

async function thaw(): Promise<void> {
  stack.engines[0]?.signal("SIGCONT");
  await poll("a decision after the outage", async () => (await ask(alice)).message["ok"] === true);
}

describe("AuthService", () => {
  test("Authenticate: the correct password is decision OK with the contract's fields", async () => {
    const { code, message, metadata } = await ask(alice);
    expect(code).toBe(status.OK);
    expect(message).toMatchObject({
      ok: true,
      decision: "AUTH_DECISION_OK",
      account_field: "account",
      backend: 8,
      status_message: "OK",
      error: "",
    });
    expect(message["attributes"]).toMatchObject({
      mail: { values: ["alice@example.test"] },
      account: { values: ["alice@example.test"] },
    });
    expect(message["session"]).toMatch(sessionId);
    expect(metadata["x-service-session"]).toBe(message["session"]);
    expect(metadata["auth-status"]).toBe("OK");
  });

  test.each([{ password: "wrong" }, { password: "" }, { username: "unknown@example.test" }])(
    "Authenticate: a denial is a successful call with decision FAIL (%o)",
    async (wrong) => {
      const { code, message, metadata } = await ask({ ...alice, ...wrong });
      expect(code).toBe(status.OK);
      expect(message).toMatchObject({ ok: false, decision: "AUTH_DECISION_FAIL", attributes: {}, error: "" });
      expect(metadata["auth-status"]).toBe("FAIL");
    },
  );

  test("LookupIdentity: a known user is OK without a password, an unknown one is FAIL", async () => {
    const path = authMethod("LookupIdentity");
    const known = await client.call(path, { username: alice.username }, { authorization: basicAuth });
    expect(known.message).toMatchObject({ ok: true, decision: "AUTH_DECISION_OK" });
    const unknown = await client.call(path, { username: "nobody@example.test" }, { authorization: basicAuth });
    expect(unknown.message).toMatchObject({ ok: false, decision: "AUTH_DECISION_FAIL" });
  });

  test("a missing username, and bytes that are not a message, are INVALID_ARGUMENT", async () => {
    expect(await ask({ password: "x" })).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: "username is required",
    });
    for (const bytes of [Buffer.from([0x0a, 0xff, 0xff]), Buffer.from("not protobuf at all"), Buffer.alloc(64, 0xff)]) {
      const { code, metadata } = await ask(alice, { bytes });
      expect(code).toBe(status.INVALID_ARGUMENT);
      expect(metadata["x-service-session"]).toMatch(sessionId);
    }
  });

  test("a message larger than the limit is RESOURCE_EXHAUSTED", async () => {
    expect((await ask({ ...alice, user_agent: "x".repeat(2_000_000) })).code).toBe(status.RESOURCE_EXHAUSTED);
  });

  test("a call is counted and logged as dialect grpc", async () => {
    const { message } = await ask(alice);
    expect(await stack.gateway.metrics()).toMatch(
      /service_auth_decisions_total\{dialect="grpc",operation="authenticate",outcome="ok"\} [1-9]/,
    );
    const line = await logLineOf(stack.gateway, String(message["session"]), "decided");
    expect(line).toMatchObject({ dialect: "grpc", outcome: "ok", client_ip: alice.client_ip });
  });
});

describe("API callers (contract, Caller rejection outcomes)", () => {
  test.each([undefined, "Basic eDp5", "Digest x"])("%s is UNAUTHENTICATED after 300 ms", async (authorization) => {
    const { code, tookMs, metadata } = await client.call(authMethod("Authenticate"), alice, { authorization });
    expect(code).toBe(status.UNAUTHENTICATED);
    expect(tookMs).toBeGreaterThanOrEqual(295);
    expect(metadata["x-service-session"]).toMatch(sessionId);
    expect(stack.gateway.output()).toContain('"transport":"grpc"');
  });

  test("a token is UNAVAILABLE without a delay if no validator is configured", async () => {
    const rejected = ask(alice, { authorization: "Basic eDp5" });
    const undecided = ask(alice, { authorization: "Bearer abc" });
    expect(await settledOrder({ rejected, undecided })).toEqual(["undecided", "rejected"]);
    expect((await undecided).code).toBe(status.UNAVAILABLE);
  });

  test("failures take no token of the failure budget: the next call is accepted", async () => {
    await Promise.all(
      Array.from({ length: 250 }, () =>
        client.call(authMethod("Authenticate"), alice, { authorization: "Basic eDp5" }),
      ),
    );
    expect((await ask(alice)).code).toBe(status.OK);
  });
});

describe("with a frozen engine", () => {
  test("the call's deadline ends the wait", async () => {
    stack.engines[0]?.signal("SIGSTOP");
    const late = await ask(alice, { timeoutMs: 150 });
    expect(late.code).toBe(status.DEADLINE_EXCEEDED);
    await inFlight(0);
    await thaw();
  });

  test("a call that its caller cancels is released", async () => {
    stack.engines[0]?.signal("SIGSTOP");
    const canceled = new AbortController();
    const waiting = ask(alice, { signal: canceled.signal });
    await inFlight(1);
    canceled.abort();
    expect((await waiting).code).toBe(status.CANCELLED);
    await inFlight(0);
    await poll("the canceled request to end", () => stack.gateway.output().includes('"reason":"REQUEST_ABORTED"'));
    await thaw();
  });

  test("without an engine, a call is OK with decision TEMPFAIL, and a list is UNAVAILABLE", async () => {
    await stack.engines[0]?.stop();
    const { code, message, metadata } = await ask(alice);
    expect(code).toBe(status.OK);
    expect(message).toMatchObject({ ok: false, decision: "AUTH_DECISION_TEMPFAIL" });
    expect(message["error"]).toMatch(/temporary/i);
    expect(metadata["auth-status"]).toBe(message["error"]);
    const list = await client.call(authMethod("ListAccounts"), {}, { authorization: basicAuth });
    expect(list.code).toBe(status.UNAVAILABLE);
  });
});
