import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const decisionMs = 1500;
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    redis: true,
    engines: 2,
    settings: { runtime: { timeouts: { decision: `${decisionMs}ms` } } },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function expectTemporaryFailure(): Promise<void> {
  const { status, headers, body } = await askJson(stack.url, alice);
  expect([status, JSON.parse(body)]).toEqual([500, { error: headers.get("auth-status") }]);
}

const health = async (): Promise<[number, unknown]> => {
  const response = await fetch(`${stack.url}/healthz`);
  return [response.status, await response.json()];
};

const decided = (): Promise<true> =>
  poll("a decision after the outage", async () => (await askJson(stack.url, alice)).status === 200, 20_000);

test("without NATS, requests are answered with 500 before their deadline and services are not ready; when NATS returns, they recover without a restart", async () => {
  const pids = [stack.gateway, ...stack.engines].map(({ pid }) => pid);
  expect(await health()).toEqual([200, { status: "up", checks: { bus: "up", redis_state: "up" } }]);
  stack.nats.signal("SIGKILL");
  await poll("services to report not ready", async () => (await stack.gateway.readiness()) === 503);
  for (let turn = 0; turn < 5; turn += 1) await expectTemporaryFailure();
  const disconnected = /_failed_total\{code="BUS_DISCONNECTED"\} (\d+)/.exec(await stack.gateway.metrics())?.[1];
  expect(Number(disconnected)).toBeGreaterThanOrEqual(5);
  expect(await health()).toEqual([503, { status: "down", checks: { bus: "down", redis_state: "up" } }]);
  for (const engine of stack.engines) expect(await engine.readiness()).toBe(503);

  const nats = await stack.startNats();
  await decided();
  await poll("all services to be ready", async () => {
    const states = await Promise.all([stack.gateway, ...stack.engines].map((service) => service.readiness()));
    return states.every((status) => status === 200);
  });
  expect(await health()).toEqual([200, { status: "up", checks: { bus: "up", redis_state: "up" } }]);
  expect([stack.gateway, ...stack.engines].map(({ pid, process }) => [pid, process.exitCode])).toEqual(
    pids.map((pid) => [pid, null]),
  );

  // The same NATS hangs: no connection reports that, so the deadline ends every request meanwhile.
  nats.signal("SIGSTOP");
  await Promise.all(Array.from({ length: 10 }, () => expectTemporaryFailure()));
  nats.signal("SIGCONT");
  await decided();
});
