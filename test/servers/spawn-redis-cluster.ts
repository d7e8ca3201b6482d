import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ServerPlace } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { poll } from "./poll.ts";
import { type RedisServer, spawnRedis } from "./spawn-redis.ts";

export interface SpawnRedisClusterOptions {
  /** Replicas of each master; one of them replaces a master that has not answered for two seconds. Default 0. */
  readonly replicas?: number;
  /** The place of one of the three masters, by its index, and the address at which that place reaches this host. */
  readonly master?: { readonly index: 0 | 1 | 2; readonly place: ServerPlace; readonly here: string };
}

export interface RedisCluster extends AsyncDisposable {
  readonly nodes: readonly RedisServer[];
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** The master that serves a key, as another node knows it. */
  masterOf(key: string): Promise<RedisServer>;
  /** Whether a replica follows the master. */
  hasReplica(master: RedisServer): Promise<boolean>;
}

const run = promisify(execFile);

interface Node {
  readonly server: RedisServer;
  readonly host: string;
}

async function ask({ host, server: { port } }: Node, ...words: readonly string[]): Promise<string> {
  return (await run("redis-cli", ["-h", host, "-p", String(port), ...words], { timeout: 2000 })).stdout;
}

async function startNode(index: number, master: SpawnRedisClusterOptions["master"]): Promise<Node> {
  const [port, busPort] = [await freePort(), await freePort()];
  const mode = ["--cluster-enabled", "yes", "--cluster-port", String(busPort), "--cluster-node-timeout", "2000"];
  if (master === undefined) return { server: await spawnRedis({ port, args: mode }), host: "127.0.0.1" };
  const { place, here } = master;
  if (index === master.index) return { server: await spawnRedis({ port, args: mode, place }), host: place.address };
  const args = [...mode, "--bind", "127.0.0.1", here, "--cluster-announce-ip", here];
  return { server: await spawnRedis({ port, args }), host: here };
}

/** The port of the master of a slot, from lines such as `ID HOST:PORT@BUS master - 0 0 1 connected 0-5460`. */
function masterPort(nodes: string, slot: number): number | undefined {
  for (const line of nodes.split("\n")) {
    const [, address = "", flags = "", , , , , , ...slots] = line.split(" ");
    const serves = slots.some((range) => {
      const [first = Number.NaN, last = first] = range.split("-").map(Number);
      return first <= slot && slot <= last;
    });
    if (serves && flags.includes("master") && !flags.includes("fail")) return Number(/:(\d+)@/.exec(address)?.[1]);
  }
  return undefined;
}

const isRunning = ({ process }: RedisServer): boolean => process.exitCode === null && process.signalCode === null;

async function untilReady(nodes: readonly Node[], replicas: number): Promise<void> {
  for (const node of nodes) {
    await poll("the cluster to be ready", async () =>
      (await ask(node, "cluster", "info")).includes("cluster_state:ok"),
    );
    await poll("the replicas to follow", async () => {
      const replication = await ask(node, "info", "replication");
      return replication.includes("role:master")
        ? replication.includes(`connected_slaves:${replicas}`)
        : replication.includes("master_link_status:up");
    });
  }
}

/** Three masters in cluster mode that serve all slots, and their replicas. */
export async function spawnRedisCluster({
  replicas = 0,
  master,
}: SpawnRedisClusterOptions = {}): Promise<RedisCluster> {
  await using started = new AsyncDisposableStack();
  const nodes: Node[] = [];
  for (let index = 0; index < 3 + 3 * replicas; index += 1) {
    const node = await startNode(index, master);
    started.use(node.server);
    nodes.push(node);
  }
  const places = nodes.map(({ host, server: { port } }) => `${host}:${port}`);
  const ofReplicas = replicas === 0 ? [] : ["--cluster-replicas", String(replicas)];
  await run("redis-cli", ["--cluster", "create", ...places, ...ofReplicas, "--cluster-yes"]);
  await untilReady(nodes, replicas);
  const owned = started.move();
  const masterOf = (key: string): Promise<RedisServer> =>
    poll(`the master of ${key}`, async () => {
      for (const node of nodes.filter(({ server }) => isRunning(server))) {
        const slot = Number(await ask(node, "cluster", "keyslot", key).catch(() => "NaN"));
        const serving = masterPort(await ask(node, "cluster", "nodes").catch(() => ""), slot);
        const found = nodes.find(({ server }) => server.port === serving);
        if (found !== undefined) return found.server;
      }
      return undefined;
    });
  return {
    nodes: nodes.map(({ server }) => server),
    addresses: nodes.map(({ host, server: { port } }) => ({ host, port })),
    masterOf,
    hasReplica: async (server) => {
      const node = nodes.find((each) => each.server === server);
      return node !== undefined && (await ask(node, "info", "replication")).includes("state=online");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
