import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { BusStatus } from "@postern/shared/platform/bus";
import { freePort, poll, spawnNats } from "@postern/testing";
import { expect, test } from "vitest";
import { echo, failureCode, makeBus, securityWith, somethingHappened, soon } from "./bus-fixture.ts";

function cluster(listen: number, route: number): string {
  return [
    // Longer than this test: a client that waits for the server to close its connection fails it.
    'lame_duck_duration: "20m"',
    'lame_duck_grace_period: "10m"',
    `cluster { name: c, listen: "127.0.0.1:${listen}", routes: ["nats://127.0.0.1:${route}"] }`,
  ].join("\n");
}

/** Two servers of a cluster. */
async function startPair(owned: AsyncDisposableStack) {
  const [routeA, routeB] = [await freePort(), await freePort()];
  const leaving = owned.use(await spawnNats({ config: cluster(routeA, routeB) }));
  const staying = owned.use(await spawnNats({ config: cluster(routeB, routeA) }));
  return { leaving, staying };
}

async function works(bus: Awaited<ReturnType<typeof makeBus>>): Promise<boolean> {
  return (await failureCode(bus.rawRequest(echo, Buffer.from("x"), soon(500)))) === undefined;
}

test("a killed NATS server fails requests with BUS_DISCONNECTED long before their deadline; the bus recovers with a new server on the same port", async () => {
  await using first = await spawnNats();
  const seen: BusStatus[] = [];
  await using bus = await makeBus(first.url, { onStatus: (status) => void seen.push(status) });
  const gate = Promise.withResolvers<Uint8Array>();
  const serving = bus.rawServe(echo, (body) => (body.length === 0 ? gate.promise : body));
  const held = bus.rawRequest(echo, Buffer.alloc(0), soon(30_000));
  await poll("the call", () => serving.inFlight() === 1);

  first.signal("SIGKILL");
  await once(first.process, "exit");
  await poll("the bus to detect it", () => !bus.isConnected());
  // The deadline is longer than this test may take.
  expect(await failureCode(bus.rawRequest(echo, Buffer.from("x"), soon(600_000)))).toBe("BUS_DISCONNECTED");
  expect(bus.status()).toBe("disconnected");
  // The reply is ready while there is no connection; it waits for one until the request's deadline.
  gate.resolve(Buffer.from("kept"));
  await poll("the handler to end", () => serving.inFlight() === 0);

  await using second = await spawnNats({ port: first.port });
  await poll("the bus to recover", () => works(bus));
  expect(String(await held)).toBe("kept");
  expect(seen).toEqual(["connected", "disconnected", "connected"]);
  expect(second.port).toBe(first.port);
});

test("a stalled NATS server ends requests at their deadline; the same connection works afterwards", async () => {
  await using nats = await spawnNats();
  await using bus = await makeBus(nats.url);
  bus.rawServe(echo, (body) => body);
  expect(await works(bus)).toBe(true);
  nats.signal("SIGSTOP");
  // The threads of the server stop only some time after the signal.
  const code = await poll("the server to stall", () => failureCode(bus.rawRequest(echo, Buffer.from("x"), soon(200))));
  expect(code).toBe("DEADLINE_EXCEEDED");
  nats.signal("SIGCONT");
  await poll("the bus to recover", () => works(bus));
});

test("a server that stalls for long counts as lost, so that requests fail immediately", async () => {
  await using nats = await spawnNats();
  await using bus = await makeBus(nats.url);
  bus.rawServe(echo, (body) => body);
  nats.signal("SIGSTOP");
  await poll("the bus to detect it", () => !bus.isConnected());
  expect(await failureCode(bus.rawRequest(echo, Buffer.from("x"), soon(30_000)))).toBe("BUS_DISCONNECTED");
  nats.signal("SIGCONT");
  await poll("the bus to recover", () => works(bus));
});

test("a bus without a server is not ready, keeps trying to connect, and then serves the methods registered meanwhile", async () => {
  const port = await freePort();
  await using bus = await makeBus(`nats://127.0.0.1:${port}`, { connectWaitMs: 50 });
  expect(bus.status()).toBe("connecting");
  bus.rawServe(echo, (body) => body);
  expect(await failureCode(bus.rawRequest(echo, Buffer.from("x"), soon()))).toBe("BUS_DISCONNECTED");
  await using nats = await spawnNats({ port });
  await poll("the connection", () => works(bus));
  expect(nats.port).toBe(port);
});

test("a bus without a server can be closed", async () => {
  const bus = await makeBus(`nats://127.0.0.1:${await freePort()}`, { connectWaitMs: 10 });
  await bus.close();
  expect(bus.status()).toBe("closed");
});

test("credentials are sent, and a bus with rejected credentials is not ready but keeps running", async () => {
  await using nats = await spawnNats({ config: 'authorization { user: "gateway", password: "right" }' });
  await using right = await makeBus(nats.url, { security: securityWith({ username: "gateway", password: "right" }) });
  const security = securityWith({ username: "gateway", password: "wrong" });
  await using wrong = await makeBus(nats.url, { security, connectWaitMs: 300 });
  expect(right.isConnected()).toBe(true);
  expect(wrong.status()).toBe("connecting");
});

test("a bus leaves a server in lame duck mode before it stops", async () => {
  await using servers = new AsyncDisposableStack();
  const { leaving, staying } = await startPair(servers);
  const statuses: BusStatus[] = [];
  await using bus = await makeBus(leaving.url, { onStatus: (status) => void statuses.push(status) });
  await using peer = await makeBus(staying.url);
  bus.rawServe(echo, (body) => body);
  await poll("the cluster to carry requests", () => works(peer));
  await poll("the cluster's addresses to be known", () => leaving.output().includes("Route connection created"));
  leaving.signal("SIGUSR2");
  await poll("the bus to change servers", () => statuses.filter((status) => status === "connected").length === 2);
  await poll("the bus to answer from the other server", () => works(peer));
  expect(bus.isConnected()).toBe(true);
  expect(leaving.process.exitCode).toBeNull();
  // A server in lame duck mode takes long to stop after a SIGTERM.
  leaving.signal("SIGKILL");
});

test("no request fails while a bus leaves a server in lame duck mode, and no event that was sent is lost", async () => {
  await using servers = new AsyncDisposableStack();
  const { leaving, staying } = await startPair(servers);
  const statuses: BusStatus[] = [];
  await using bus = await makeBus(leaving.url, { onStatus: (status) => void statuses.push(status) });
  await using peer = await makeBus(staying.url);
  peer.rawServe(echo, (body) => body);
  let received = 0;
  peer.subscribe(somethingHappened, () => void (received += 1));
  await peer.flush();
  await poll("the cluster to carry requests", () => works(bus));
  await poll("the cluster's addresses to be known", () => leaving.output().includes("Route connection created"));
  const codes: Promise<string | undefined>[] = [];
  let published = 0;
  leaving.signal("SIGUSR2");
  const hasMoved = (): boolean => statuses.filter((status) => status === "connected").length === 2;
  const giveUpAt = performance.now() + 30_000;
  // Some are sent while there is no connection. More would not be answered in the half second before the move on a busy machine.
  while (!hasMoved() && performance.now() < giveUpAt) {
    if (bus.publish(somethingHappened, { what: "x" })) published += 1;
    codes.push(failureCode(bus.rawRequest(echo, Buffer.from("x"), soon(60_000))));
    await delay(1);
  }
  expect(hasMoved()).toBe(true);
  expect((await Promise.all(codes)).filter((code) => code !== undefined)).toEqual([]);
  // A server in lame duck mode takes long to stop after a SIGTERM.
  leaving.signal("SIGKILL");
  await poll("the events", () => received === published);
});

test("a bus leaves a frozen server that takes nothing more, for one that the cluster has announced", async () => {
  const [routeA, routeB] = [await freePort(), await freePort()];
  await using frozen = await spawnNats({ config: cluster(routeA, routeB) });
  await using staying = await spawnNats({ config: cluster(routeB, routeA) });
  await using bus = await makeBus(frozen.url);
  await using peer = await makeBus(staying.url);
  peer.rawServe(echo, (body) => body);
  await poll("the cluster to carry requests", () => works(bus));
  frozen.signal("SIGSTOP");
  // More than the sockets' buffers hold: a client that first wants to send it all waits for minutes.
  for (let sent = 0; sent < 32; sent += 1) bus.publish(somethingHappened, { what: "x".repeat(1024 * 1024) });
  await expect.poll(() => works(bus)).toBe(true);
  frozen.signal("SIGKILL");
});
