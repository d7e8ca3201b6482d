import { connect } from "node:net";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServiceName, ServiceProcess } from "../../support/service-process.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

/** Each service with the dependencies without which it cannot be ready. */
const needs: readonly [ServiceName, "nats" | "redis" | "nothing"][] = [
  ["gateway", "nats"],
  ["auth-engine", "nats"],
  ["idp", "redis"],
  ["admin", "nothing"],
  ["jobs-worker", "redis"],
];

beforeAll(async () => {
  stack = await startStack({ shape: "five", services: ["idp", "admin", "jobs-worker"], serversLater: true });
});

afterAll(() => stack[Symbol.asyncDispose]());

function service(name: ServiceName): ServiceProcess {
  const found = stack.services.get(name);
  if (found === undefined) throw new Error(`${name} was not started`);
  return found;
}

async function isAlive(name: ServiceName): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${service(name).privatePort}/healthz`);
  return response.status === 200 && service(name).process.exitCode === null;
}

async function reportOf(name: ServiceName): Promise<{ readonly status: string }> {
  return (await fetch(`http://127.0.0.1:${service(name).privatePort}/readyz`)).json();
}

function becomes(name: ServiceName, status: number, withinMs: number): Promise<true> {
  return poll(`${name} to be ${status}`, async () => (await service(name).readiness()) === status, withinMs);
}

function refused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}

describe("the five services", () => {
  test.each(needs)("%s starts without NATS and Redis: alive; without %s not ready", async (name, need) => {
    expect(await isAlive(name)).toBe(true);
    await becomes(name, need === "nothing" ? 200 : 503, 5000);
  });

  test("stay alive after more than one failed check", async () => {
    const until = performance.now() + 1500;
    await poll("checks to fail", async () => {
      await Promise.all(needs.map(([name]) => service(name).readiness()));
      return performance.now() > until;
    });
    for (const [name] of needs) expect([name, await isAlive(name)]).toEqual([name, true]);
  });

  test("become ready when NATS and Redis are available", async () => {
    await stack.startNats();
    await stack.startRedis();
    const ready = await Promise.all(needs.map(([name]) => becomes(name, 200, 10_000)));
    expect(ready).toEqual(needs.map(() => true));
  });

  test("while Redis hangs, services that can do nothing without it become not ready within about 2 s, and ready again afterwards", async () => {
    stack.redis?.signal("SIGSTOP");
    await becomes("jobs-worker", 503, 2500);
    // These still answer: decisions, discovery, keys and errors that clients understand.
    const others = ["idp", "admin", "gateway"] as const;
    expect(await Promise.all(others.map((name) => service(name).readiness()))).toEqual([200, 200, 200]);
    await poll("idp to be degraded", async () => (await reportOf("idp")).status === "degraded");
    stack.redis?.signal("SIGCONT");
    await becomes("jobs-worker", 200, 5000);
  });

  test("SIGTERM: exit code 0 within the grace period, and no listener is left", async () => {
    const codes = await Promise.all(needs.map(([name]) => service(name).stop()));
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    const publicPorts = [stack.url, stack.adminUrl, stack.idpUrl].map((url) => Number(new URL(url).port));
    const ports = [...publicPorts, ...needs.map(([name]) => service(name).privatePort)];
    expect(await Promise.all(ports.map(refused))).toEqual(ports.map(() => true));
  });
});
