import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { poll } from "./poll.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { type RedisServer, spawnRedis } from "./spawn-redis.ts";

export interface RedisSentinel extends AsyncDisposable {
  readonly master: string;
  readonly address: { readonly host: string; readonly port: number };
  readonly first: RedisServer;
  readonly second: RedisServer;
  /** The port of the primary, as Sentinel names it. */
  primaryPort(): Promise<number>;
  /** Makes the other server the primary, without waiting for the first one to be missed. */
  failOver(): Promise<void>;
}

const run = promisify(execFile);
const master = "main";

/** A primary with one replica on loopback, and a Sentinel that replaces the primary after a second of silence. */
export async function spawnRedisSentinel(): Promise<RedisSentinel> {
  await using started = new AsyncDisposableStack();
  const first = started.use(await spawnRedis());
  const args = ["--replicaof", "127.0.0.1", String(first.port), "--repl-ping-replica-period", "1"];
  const second = started.use(await spawnRedis({ args }));
  const folder = started.use(await scratchFolder());
  const file = join(folder.path, "sentinel.conf");
  const port = await freePort();
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${folder.path}`,
    `sentinel monitor ${master} 127.0.0.1 ${first.port} 1`,
    `sentinel down-after-milliseconds ${master} 1000`,
    `sentinel failover-timeout ${master} 10000`,
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  const sentinel = await startChildServer({ command: "redis-server", args: [file, "--sentinel"], port });
  started.defer(async () => void (await sentinel.stop()));
  const ask = async (...words: readonly string[]): Promise<string> =>
    (await run("redis-cli", ["-p", String(port), "sentinel", ...words])).stdout;
  await poll("Sentinel to know the replica", async () => (await ask("replicas", master)).includes(String(second.port)));
  await poll("the replica to follow", async () => {
    const { stdout } = await run("redis-cli", ["-p", String(second.port), "info", "replication"]);
    return stdout.includes("master_link_status:up");
  });
  const owned = started.move();
  return {
    master,
    address: { host: "127.0.0.1", port },
    first,
    second,
    primaryPort: async () => Number((await ask("get-master-addr-by-name", master)).split("\n")[1]),
    failOver: async () => {
      await poll("Sentinel to begin", async () => (await ask("failover", master)).startsWith("OK"));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
