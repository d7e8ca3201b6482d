import { once } from "node:events";
import { type NatsServer, poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Load, type Surprise, startLoad } from "../../support/load.ts";
import { type Replica, type Stack, startStack } from "../../support/stack.ts";
import { type NatsCluster, spawnNatsCluster } from "./nats-cluster.ts";

/** Far longer than the services need to leave a node: a request that waits for its deadline is a wrong answer. */
const decision = "60s";
const services = 5;
let nats: NatsCluster;
let stack: Stack;
let second: Replica;

beforeAll(async () => {
  nats = await spawnNatsCluster();
  stack = await startStack({
    engines: 3,
    settings: {
      runtime: { timeouts: { decision }, bus: { servers: nats.nodes.map(({ url }) => url) } },
    },
  });
  second = await stack.startReplica("gateway");
  const gateways = [stack.gateway, second.process];
  for (const gateway of gateways) {
    await poll("the heartbeats", async () => (await gateway.metrics()).includes("service_engines_heard 3\n"));
  }
}, 120_000);

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await nats[Symbol.asyncDispose]();
});

/** The connections of the services to the other nodes. */
async function elsewhere(node: NatsServer): Promise<number> {
  const others = nats.nodes.filter((other) => other !== node && other.process.exitCode === null);
  const alive = others.filter(({ process }) => process.signalCode === null);
  return (await Promise.all(alive.map(nats.clientsOf))).flat().length;
}

/** The node with most services, so that losing it is felt. */
async function busiestNode(): Promise<NatsServer> {
  const alive = nats.nodes.filter(({ process }) => process.exitCode === null && process.signalCode === null);
  const counts = await Promise.all(alive.map(async (node) => (await nats.clientsOf(node)).length));
  const busiest = alive[counts.indexOf(Math.max(...counts))];
  if (busiest === undefined) throw new Error("no node is left");
  return busiest;
}

async function answeredMore(loads: readonly Load[], count: number): Promise<void> {
  const before = loads.map((load) => load.answered());
  await poll(
    "answers by both gateways",
    () => loads.every((load, index) => load.answered() > (before[index] ?? 0) + count),
    120_000,
  );
}

/** What two gateways answered wrongly while all services left the node. */
async function surprisesWhile(node: NatsServer, fault: () => Promise<unknown>): Promise<readonly Surprise[]> {
  const loads = [stack.url, second.url].map((url) => startLoad(url, { loops: 8 }));
  await answeredMore(loads, 100);
  await fault();
  await poll("all services to have left the node", async () => (await elsewhere(node)) >= services, 60_000);
  await answeredMore(loads, 300);
  const then = loads.flatMap((load) => load.surprises());
  // Nothing fails any more once the services are elsewhere.
  await answeredMore(loads, 500);
  const all = (await Promise.all(loads.map((load) => load.stop()))).flat();
  expect(all.length).toBe(then.length);
  return all;
}

test("a killed node of three is left by all services, and no request is denied or waits for its deadline", async () => {
  const node = await busiestNode();
  const surprises = await surprisesWhile(node, async () => {
    node.signal("SIGKILL");
    await once(node.process, "exit");
  });
  expect(surprises).toEqual([]);
});
