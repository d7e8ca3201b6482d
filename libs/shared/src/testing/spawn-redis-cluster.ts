import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { poll } from "./poll.ts";
import { type RedisServer, spawnRedis } from "./spawn-redis.ts";

export interface RedisCluster extends AsyncDisposable {
  readonly nodes: readonly RedisServer[];
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
}

const run = promisify(execFile);

/** Three masters in cluster mode on loopback that serve all slots. */
export async function spawnRedisCluster(): Promise<RedisCluster> {
  await using started = new AsyncDisposableStack();
  const nodes: RedisServer[] = [];
  for (let count = 0; count < 3; count += 1) {
    const [port, busPort] = [await freePort(), await freePort()];
    const args = ["--cluster-enabled", "yes", "--cluster-port", String(busPort), "--cluster-node-timeout", "2000"];
    nodes.push(started.use(await spawnRedis({ port, args })));
  }
  const places = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await run("redis-cli", ["--cluster", "create", ...places, "--cluster-yes"]);
  for (const { port } of nodes) {
    await poll("the cluster to be ready", async () => {
      const { stdout } = await run("redis-cli", ["-p", String(port), "cluster", "info"]);
      return stdout.includes("cluster_state:ok");
    });
  }
  const owned = started.move();
  return {
    nodes,
    addresses: nodes.map(({ port }) => ({ host: "127.0.0.1", port })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
