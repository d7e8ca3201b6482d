import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { poll } from "./poll.ts";
import { type RedisServer, spawnRedis } from "./spawn-redis.ts";

export interface SpawnRedisClusterOptions {
  /** Replicas of each master; one of them replaces a master that has not answered for two seconds. Default 0. */
  readonly replicas?: number;
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

async function ask(port: number, ...words: readonly string[]): Promise<string> {
  return (await run("redis-cli", ["-p", String(port), ...words], { timeout: 2000 })).stdout;
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

/** Three masters in cluster mode on loopback that serve all slots, and their replicas. */
export async function spawnRedisCluster({ replicas = 0 }: SpawnRedisClusterOptions = {}): Promise<RedisCluster> {
  await using started = new AsyncDisposableStack();
  const nodes: RedisServer[] = [];
  for (let count = 0; count < 3 + 3 * replicas; count += 1) {
    const [port, busPort] = [await freePort(), await freePort()];
    const args = ["--cluster-enabled", "yes", "--cluster-port", String(busPort), "--cluster-node-timeout", "2000"];
    nodes.push(started.use(await spawnRedis({ port, args })));
  }
  const places = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const ofReplicas = replicas === 0 ? [] : ["--cluster-replicas", String(replicas)];
  await run("redis-cli", ["--cluster", "create", ...places, ...ofReplicas, "--cluster-yes"]);
  for (const { port } of nodes) {
    await poll("the cluster to be ready", async () =>
      (await ask(port, "cluster", "info")).includes("cluster_state:ok"),
    );
    await poll("the replicas to follow", async () => {
      const replication = await ask(port, "info", "replication");
      return replication.includes("role:master")
        ? replication.includes(`connected_slaves:${replicas}`)
        : replication.includes("master_link_status:up");
    });
  }
  const owned = started.move();
  const masterOf = (key: string): Promise<RedisServer> =>
    poll(`the master of ${key}`, async () => {
      for (const { port } of nodes.filter(isRunning)) {
        const slot = Number(await ask(port, "cluster", "keyslot", key).catch(() => "NaN"));
        const master = masterPort(await ask(port, "cluster", "nodes").catch(() => ""), slot);
        const found = nodes.find((node) => node.port === master);
        if (found !== undefined) return found;
      }
      return undefined;
    });
  return {
    nodes,
    addresses: nodes.map(({ port }) => ({ host: "127.0.0.1", port })),
    masterOf,
    hasReplica: async ({ port }) => (await ask(port, "info", "replication")).includes("state=online"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
