import { once } from "node:events";
import { type AuthRequest, authenticate, engineAlive } from "@postern/shared/contracts";
import { type EngineWatch, startEngineWatch } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import { freePort, type NatsServer, poll, spawnNats } from "@postern/testing";
import { expect, test } from "vitest";
import { routeCuts, startNatsPair } from "../../support/nats-pair.ts";
import { countMetrics, failureCode, makeBus, soon } from "./bus-fixture.ts";

const instance = "00000000000000e1";
const heartbeat = { instance, inFlight: 0, connection: 1 };
const request: AuthRequest = {
  session: "s",
  operation: "lookup",
  dialect: "json",
  username: "alice",
  protocol: "imap",
  tls: false,
  memoryCache: true,
  sharedCache: true,
};

interface Watched extends Disposable {
  readonly watch: EngineWatch;
  readonly ask: () => Promise<string | undefined>;
}

/** Sends requests as a gateway does, with deadlines that are longer than a test may take. */
function watched(bus: Bus): Watched {
  const watch = startEngineWatch(bus, () => undefined);
  const ask = async (): Promise<string | undefined> => {
    const decision = await bus.request(authenticate, request, soon(600_000));
    return decision.outcome === "tempfail" ? decision.message : decision.outcome;
  };
  return { watch, ask, [Symbol.dispose]: watch.close };
}

/** Serves as an engine does; its decision is `by`. */
async function serve(url: string, by: string): Promise<Bus> {
  const bus = await makeBus(url, { name: "engine" });
  const decision = { outcome: "tempfail", code: "UPSTREAM_UNAVAILABLE", message: by } as const;
  bus.serve(authenticate, async () => decision, { instance });
  await bus.flush();
  return bus;
}

async function heard({ watch }: Watched, engine: Bus): Promise<void> {
  await poll("the heartbeat", () => {
    engine.publish(engineAlive, { ...heartbeat, connection: engine.connections() });
    return watch.engines() === 1;
  });
}

async function passed(ms: number): Promise<void> {
  const from = performance.now();
  await poll("time to pass", () => performance.now() - from > ms);
}

async function frozen(nats: NatsServer, bus: Bus): Promise<void> {
  nats.signal("SIGSTOP");
  const stalled = async (): Promise<boolean> =>
    (await failureCode(bus.request(authenticate, request, soon(200)))) === "DEADLINE_EXCEEDED";
  // The threads of the server stop only some time after the signal.
  await poll("NATS to stall", stalled);
}

test("a gateway that is back on NATS before its engines keeps old and new requests until they are back too", async () => {
  const lost = await spawnNats();
  await using bus = await makeBus(lost.url);
  using gateway = watched(bus);
  const first = await serve(lost.url, "first");
  await heard(gateway, first);
  expect(await gateway.ask()).toBe("first");

  await frozen(lost, bus);
  const inProgress = gateway.ask();
  await poll("the request to leave", () => bus.outstanding() === 1);
  lost.signal("SIGKILL");
  await once(lost.process, "exit");
  await first.close();
  // Longer than engines are expected back without a connection of our own.
  await passed(2500);
  await using next = await spawnNats({ port: lost.port });
  await poll("the gateway's connection", () => bus.isConnected());
  const during = gateway.ask();
  // Some ticks of the watch, in which the requests could fail.
  await passed(400);
  expect(bus.outstanding()).toBe(2);

  await using second = await serve(next.url, "second");
  await heard(gateway, second);
  expect(await Promise.all([inProgress, during])).toEqual(["second", "second"]);
});

test("after its engines have stopped permanently, a gateway fails requests long before their deadline", async () => {
  await using nats = await spawnNats();
  await using bus = await makeBus(nats.url);
  using gateway = watched(bus);
  const engine = await serve(nats.url, "engine");
  await heard(gateway, engine);
  await engine.close();
  expect(["BUS_NO_RESPONDERS", "ENGINE_SILENT"]).toContain(await failureCode(gateway.ask()));
});

function node(listen: number, others: readonly number[]): string {
  const routes = others.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  return `cluster { name: c, listen: "127.0.0.1:${listen}", routes: [${routes}] }`;
}

test("an engine that has moved away from a frozen node of NATS receives every request that is sent to it", async () => {
  const [routeA, routeB, routeC] = [await freePort(), await freePort(), await freePort()];
  await using near = await spawnNats({ config: node(routeA, [routeB, routeC]) });
  await using leaving = await spawnNats({ config: node(routeB, [routeA, routeC]) });
  await using far = await spawnNats({ config: node(routeC, [routeA, routeB]) });
  await using bus = await makeBus(near.url);
  using gateway = watched(bus);
  const before = await serve(leaving.url, "before");
  await heard(gateway, before);
  expect(await gateway.ask()).toBe("before");
  leaving.signal("SIGSTOP");
  await before.close();
  // The frozen node still counts as having the engine's subscription.
  await using after = await serve(far.url, "after");
  await poll("the engine to be reachable", async () => {
    await heard(gateway, after);
    return (await Promise.race([gateway.ask(), passed(100)])) === "after";
  });
  for (let index = 0; index < 20; index += 1) expect(await gateway.ask()).toBe("after");
  leaving.signal("SIGKILL");
});

test.each(["hang", "are closed"] as const)(
  "a gateway at a node of NATS whose routes %s moves to another node and loses no request",
  async (cut) => {
    await using servers = new AsyncDisposableStack();
    const pair = await startNatsPair(servers);
    const metrics = countMetrics();
    await using bus = await makeBus(pair.cutOff.url, { metrics });
    using gateway = watched(bus);
    await using engine = await serve(pair.whole.url, "engine");
    const beating = setInterval(() => engine.publish(engineAlive, { ...heartbeat, connection: 1 }), 200);
    using _stop = { [Symbol.dispose]: () => clearInterval(beating) };
    await poll("a heartbeat", () => gateway.watch.engines() === 1);
    await routeCuts[cut](pair);
    // Until the move, NATS delivers no request, or answers that no process is subscribed.
    while (metrics.counts.moved === undefined) {
      expect(await Promise.race([gateway.ask(), passed(100).then(() => "engine")])).toBe("engine");
    }
    for (let index = 0; index < 20; index += 1) expect(await gateway.ask()).toBe("engine");
    await poll("no request to be left", () => bus.outstanding() === 0);
    expect(metrics.counts.moved).toBe(1);
  },
);

test("a gateway that has never heard an engine looks for one at the other nodes of NATS", async () => {
  await using servers = new AsyncDisposableStack();
  const pair = await startNatsPair(servers);
  await using bus = await makeBus(pair.cutOff.url);
  await poll("the node to announce the other one", () => bus.canMove());
  await routeCuts["are closed"](pair);
  using gateway = watched(bus);
  await using engine = await serve(pair.whole.url, "engine");
  const beating = setInterval(() => engine.publish(engineAlive, { ...heartbeat, connection: 1 }), 200);
  using _stop = { [Symbol.dispose]: () => clearInterval(beating) };
  await poll("a heartbeat", () => gateway.watch.engines() === 1);
  expect(await gateway.ask()).toBe("engine");
});
