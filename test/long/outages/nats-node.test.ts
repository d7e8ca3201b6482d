import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { type Load, startLoad } from "../../support/load.ts";
import { type Replica, type Stack, startStack } from "../../support/stack.ts";
import { showFigures } from "./figures.ts";
import { type NatsNode, spawnNatsCluster } from "./nats-cluster.ts";

/** Far longer than the services need to leave a node: a request that waits for its deadline is a wrong answer. */
const decision = "60s";
const services = 5;

const serversOf = (node: NatsNode) => ({ runtime: { bus: { servers: [node.url] } } });

interface Platform extends AsyncDisposable {
  readonly stack: Stack;
  /** A gateway that is connected to another node. */
  readonly second: Replica;
}

/** A gateway and some engines at one node; another gateway, and the rest of three engines, at another one. All know all nodes. */
async function startPlatform(node: NatsNode, other: NatsNode, engines: 2 | 3): Promise<Platform> {
  await using started = new AsyncDisposableStack();
  const settings = { runtime: { timeouts: { decision }, bus: { servers: [node.url] } } };
  const stack = started.use(await startStack({ engines, settings }));
  await stack.writeSettings(serversOf(other));
  if (engines === 2) await stack.startEngine();
  const second = await stack.startReplica("gateway");
  for (const gateway of [stack.gateway, second.process]) {
    await poll("the heartbeats", async () => (await gateway.metrics()).includes("service_engines_heard 3\n"));
  }
  const owned = started.move();
  return { stack, second, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function clientsAt(nodes: readonly NatsNode[]): Promise<number> {
  return (await Promise.all(nodes.map((node) => node.clients()))).flat().length;
}

async function answeredMore(loads: readonly Load[], count: number): Promise<void> {
  const before = loads.map((load) => load.answered());
  await poll(
    "answers by both gateways",
    () => loads.every((load, index) => load.answered() > (before[index] ?? 0) + count),
    120_000,
  );
}

/** The codes with which requests of a service have failed on the bus. */
async function codesOf({ metrics }: Pick<Replica["process"], "metrics">): Promise<readonly string[]> {
  const series = (await metrics()).matchAll(/^service_bus_requests_failed_total\{code="([A-Z_]+)"\} [1-9]/gm);
  return [...series].flatMap(([, code]) => code ?? []);
}

const faults = {
  killed: ({ server }: NatsNode): void => server.signal("SIGKILL"),
  frozen: ({ server }: NatsNode): void => server.signal("SIGSTOP"),
  unreachable: ({ network }: NatsNode): void => network?.stall(),
  "in lame duck mode": ({ server }: NatsNode): void => server.signal("SIGUSR2"),
  "and its host gone": ({ host }: NatsNode): Promise<void> | undefined => host?.vanish(),
};

test.each([
  ["killed", 2],
  ["killed", 3],
  ["frozen", 2],
  ["frozen", 3],
  ["unreachable", 2],
  ["unreachable", 3],
  ["in lame duck mode", 2],
  ["in lame duck mode", 3],
  ["and its host gone", 2],
  ["and its host gone", 3],
] as const)(
  "one of three nodes, %s, with %d of three engines and a gateway: no request is lost, and only that gateway fails some, immediately, unless the node announces its end",
  async (fault, engines) => {
    await using nats = await spawnNatsCluster({
      withNetworks: fault === "unreachable",
      withHost: fault === "and its host gone",
    });
    const [node, ...others] = nats.nodes;
    await using platform = await startPlatform(node, others[0], engines);
    const { stack, second } = platform;
    expect((await node.clients()).length).toBe(engines + 1);
    const loads = [stack.url, second.url].map((url) => startLoad(url, { loops: 8 }));
    await answeredMore(loads, 100);
    await faults[fault](node);
    await poll("all services to have left the node", async () => (await clientsAt(others)) >= services, 60_000);
    await answeredMore(loads, 300);
    const surprises = loads.flatMap((load) => load.surprises());
    // Nothing fails any more once the services are elsewhere.
    await answeredMore(loads, 500);
    const [ofFirst, ofSecond] = await Promise.all(loads.map((load) => load.stop()));
    showFigures(`node ${fault}, ${engines} engines`, {
      "failed by its gateway": ofFirst?.length,
      "slowest ms": Math.max(...loads.map((load) => load.slowestMs())),
    });
    node.server.signal("SIGKILL");
    expect([ofFirst, ofSecond].flat().length).toBe(surprises.length);
    expect(ofSecond).toEqual([]);
    if (fault === "in lame duck mode") expect(ofFirst).toEqual([]);
    // Without a connection of its own, a gateway fails requests immediately.
    expect(ofFirst?.filter(({ status }) => status !== 500)).toEqual([]);
    expect(await codesOf(stack.gateway)).toEqual(surprises.length > 0 ? ["BUS_DISCONNECTED"] : []);
  },
);
