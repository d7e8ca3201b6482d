import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { type ChildServer, freePort, poll, scratchFolder, spawnNats, spawnRedis } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServiceName, type ServiceProcess, startService } from "../../support/service-process.ts";
import { defaultTree } from "../../support/stack-config.ts";

const owned = new AsyncDisposableStack();
const services = new Map<ServiceName, ServiceProcess>();
const publicPorts: number[] = [];
let natsPort = 0;
let redisPort = 0;
let redis: ChildServer | undefined;

/** Each service with the dependencies without which it cannot be ready. */
const needs: readonly [ServiceName, "nats" | "redis" | "nothing"][] = [
  ["gateway", "nats"],
  ["auth-engine", "nats"],
  ["idp", "redis"],
  ["admin", "nothing"],
  ["jobs-worker", "redis"],
];

beforeAll(async () => {
  const folder = owned.use(await scratchFolder());
  const [httpPort, adminPort, idpPort] = [await freePort(), await freePort(), await freePort()];
  natsPort = await freePort();
  redisPort = await freePort();
  publicPorts.push(httpPort, adminPort, idpPort);
  const natsUrl = `nats://127.0.0.1:${natsPort}`;
  const redisUrl = `redis://127.0.0.1:${redisPort}/0`;
  const configFile = join(folder.path, "config.yaml");
  const places = { folder: folder.path, httpPort, adminPort, idpPort, natsUrl, redisUrl };
  await writeFile(configFile, JSON.stringify(defaultTree(places)));
  const started = await Promise.all(
    needs.map(async ([name]) => owned.use(await startService(name, { configFile, privatePort: await freePort() }))),
  );
  for (const [index, service] of started.entries()) {
    const name = needs[index]?.[0];
    if (name !== undefined) services.set(name, service);
  }
});

afterAll(() => owned.disposeAsync());

function service(name: ServiceName): ServiceProcess {
  const found = services.get(name);
  if (found === undefined) throw new Error(`${name} was not started`);
  return found;
}

async function isAlive(name: ServiceName): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${service(name).privatePort}/healthz`);
  return response.status === 200 && service(name).process.exitCode === null;
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
    owned.use(await spawnNats({ port: natsPort }));
    redis = owned.use(await spawnRedis({ port: redisPort }));
    const ready = await Promise.all(needs.map(([name]) => becomes(name, 200, 10_000)));
    expect(ready).toEqual(needs.map(() => true));
  });

  test("while Redis hangs, services that need it become not ready within about 2 s, and ready again afterwards", async () => {
    redis?.signal("SIGSTOP");
    await Promise.all([becomes("jobs-worker", 503, 2500), becomes("idp", 503, 2500)]);
    expect([await service("admin").readiness(), await service("gateway").readiness()]).toEqual([200, 200]);
    redis?.signal("SIGCONT");
    await Promise.all([becomes("jobs-worker", 200, 5000), becomes("idp", 200, 5000)]);
  });

  test("SIGTERM: exit code 0 within the grace period, and no listener is left", async () => {
    const codes = await Promise.all(needs.map(([name]) => service(name).stop()));
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    const ports = [...publicPorts, ...needs.map(([name]) => service(name).privatePort)];
    expect(await Promise.all(ports.map(refused))).toEqual(ports.map(() => true));
  });
});
