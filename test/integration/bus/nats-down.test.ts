import { pause, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { type Replica, type Stack, startStack } from "../../support/stack.ts";

const decisionMs = 1500;
let stack: Stack;
let gateways: readonly Replica[];
let services: readonly ServiceProcess[];

beforeAll(async () => {
  stack = await startStack({
    shape: "five",
    redis: true,
    engines: 2,
    settings: { runtime: { timeouts: { decision: `${decisionMs}ms` } } },
  });
  gateways = [{ url: stack.url, process: stack.gateway }, await stack.startReplica("gateway")];
  services = [...gateways.map(({ process }) => process), ...stack.engines];
});

afterAll(() => stack[Symbol.asyncDispose]());

async function expectTemporaryFailure({ url }: Replica): Promise<void> {
  const { status, headers, body } = await askJson(url, alice);
  expect([status, JSON.parse(body)]).toEqual([500, { error: headers.get("auth-status") }]);
}

const health = async ({ url }: Replica): Promise<[number, unknown]> => {
  const response = await fetch(`${url}/healthz`);
  return [response.status, await response.json()];
};

const healthy = [200, { status: "up", checks: { bus: "up", redis_state: "up" } }];
const unhealthy = [503, { status: "down", checks: { bus: "down", redis_state: "up" } }];

async function readiness(status: number): Promise<void> {
  for (const service of services) {
    await poll(`services to report ${status}`, async () => (await service.readiness()) === status);
  }
}

async function failed({ process }: Replica, code: string): Promise<number> {
  const series = new RegExp(`_failed_total\\{code="${code}"\\} (\\d+)`);
  return Number(series.exec(await process.metrics())?.[1] ?? 0);
}

/** Five requests to each gateway, one after the other, fail without being sent. */
async function expectImmediateFailures(): Promise<void> {
  for (const gateway of gateways) {
    const before = await failed(gateway, "BUS_DISCONNECTED");
    for (let turn = 0; turn < 5; turn += 1) await expectTemporaryFailure(gateway);
    expect(await failed(gateway, "BUS_DISCONNECTED")).toBe(before + 5);
    expect(await health(gateway)).toEqual(unhealthy);
  }
}

async function recovered(): Promise<void> {
  await readiness(200);
  for (const gateway of gateways) {
    await poll("a decision after the outage", async () => (await askJson(gateway.url, alice)).status === 200);
    expect(await health(gateway)).toEqual(healthy);
  }
}

/** Null for each service that still runs. */
const exitCodes = (): readonly (number | null)[] => services.map(({ process }) => process.exitCode);

test("without NATS, requests are answered with 500 before their deadline and services are not ready; when NATS returns, they recover without a restart", async () => {
  await recovered();
  stack.nats.signal("SIGKILL");
  await readiness(503);
  await expectImmediateFailures();
  await stack.startNats();
  await recovered();
  expect(exitCodes()).toEqual([null, null, null, null]);
});

test("while NATS hangs, requests end at their deadline, and later ones fail immediately; when it continues, services recover without a restart", async () => {
  await pause(stack.nats);
  await Promise.all(gateways.flatMap((gateway) => Array.from({ length: 10 }, () => expectTemporaryFailure(gateway))));
  for (const gateway of gateways) expect(await failed(gateway, "DEADLINE_EXCEEDED")).toBeGreaterThan(0);
  await readiness(503);
  await expectImmediateFailures();
  stack.nats.signal("SIGCONT");
  await recovered();
  expect(exitCodes()).toEqual([null, null, null, null]);
});
