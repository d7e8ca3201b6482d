import { Agent, request } from "node:http";
import { poll } from "@postern/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const shutdownDelayMs = 600;
let stack: Stack;

beforeEach(async () => {
  stack = await startStack({
    shape: "five",
    settings: { runtime: { timeouts: { shutdown_delay: `${shutdownDelayMs}ms` } } },
  });
});

afterEach(() => stack[Symbol.asyncDispose]());

interface Outcome {
  readonly status: number;
  /** The code of the error, if no response arrived. */
  readonly code: string;
}

const lookUpBody = JSON.stringify({ username: alice.username, protocol: "imap" });

function askOver(agent: Agent, path = "/api/v1/auth/json?mode=no-auth", body = lookUpBody): Promise<Outcome> {
  const headers = { authorization: basicAuth, "content-type": "application/json", "content-length": body.length };
  return new Promise((resolve) => {
    const clientRequest = request(`${stack.url}${path}`, { method: "POST", headers, agent }, (response) => {
      response.resume();
      response.once("end", () => resolve({ status: response.statusCode ?? 0, code: "" }));
      response.once("error", (error) => resolve({ status: 0, code: String(error) }));
    });
    clientRequest.once("error", (error) =>
      resolve({ status: 0, code: "code" in error ? String(error.code) : String(error) }),
    );
    clientRequest.end(body);
  });
}

/** Sends requests on keep-alive connections until no process listens any more; returns every response other than the expected one. */
async function loadUntilRefused(loops: number, count: () => void): Promise<readonly Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: loops });
  const strange: Outcome[] = [];
  const loop = async (): Promise<void> => {
    for (;;) {
      const outcome = await askOver(agent);
      if (outcome.code === "ECONNREFUSED") return;
      count();
      if (outcome.status !== 200) strange.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  agent.destroy();
  return strange;
}

test("SIGTERM under keep-alive load: reports not ready while it waits, answers every request, exits with 0", async () => {
  let answered = 0;
  const load = loadUntilRefused(16, () => {
    answered += 1;
  });
  await poll("requests to be answered", () => answered > 300);
  stack.gateway.signal("SIGTERM");
  await poll("the gateway to report not ready", async () => (await stack.gateway.readiness()) === 503);
  const health = await fetch(`${stack.url}/healthz`);
  expect([health.status, await health.json()]).toMatchObject([503, { status: "draining" }]);
  const before = answered;
  await poll("requests to be answered while it is not ready", () => answered > before + 50);
  stack.gateway.signal("SIGTERM");
  stack.gateway.signal("SIGTERM");
  expect(await load).toEqual([]);
  expect(await stack.gateway.stop()).toBe(0);
  expect(stack.gateway.output()).not.toMatch(/"level":"(error|fatal)"/);
  expect(stack.gateway.output().match(/"msg":"stopping"/g)).toHaveLength(1);
});

test("a request that is still arriving when the gateway stops listening is answered, and its connection ends", async () => {
  const headers = { authorization: basicAuth, "content-type": "application/json", "content-length": lookUpBody.length };
  const agent = new Agent({ keepAlive: true });
  const path = `${stack.url}/api/v1/auth/json?mode=no-auth`;
  const clientRequest = request(path, { method: "POST", headers, agent });
  clientRequest.write(lookUpBody.slice(0, 10));
  await poll("the gateway to receive the first part", async () =>
    /^nodejs_active_resources\{type="TCPSocketWrap"\} [2-9]/m.test(await stack.gateway.metrics()),
  );
  const stopped = stack.gateway.stop();
  await poll("the listener to be closed", async () => (await askOver(new Agent())).code === "ECONNREFUSED");
  const answer = new Promise<readonly unknown[]>((resolve) => {
    clientRequest.once("response", (response) => resolve([response.statusCode, response.headers.connection]));
    clientRequest.once("error", (error) => resolve([0, error]));
  });
  clientRequest.end(lookUpBody.slice(10));
  expect(await answer).toEqual([200, "close"]);
  expect(await stopped).toBe(0);
});

test("idle connections do not delay the gateway beyond its grace period", async () => {
  const agent = new Agent({ keepAlive: true });
  expect((await askOver(agent)).status).toBe(200);
  expect(await stack.gateway.stop()).toBe(0);
});
