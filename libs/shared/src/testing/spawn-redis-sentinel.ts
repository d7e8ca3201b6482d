import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ServerPlace, startChildServer } from "./child-server.ts";
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

export interface SpawnRedisSentinelOptions {
  /** Where the primary runs, and the address at which that place reaches this host; default: this host. */
  readonly primary?: { readonly place: ServerPlace; readonly here: string };
}

/** A primary with one replica on loopback, and a Sentinel that replaces the primary after a second of silence. */
export async function spawnRedisSentinel({ primary }: SpawnRedisSentinelOptions = {}): Promise<RedisSentinel> {
  await using started = new AsyncDisposableStack();
  const first = started.use(await spawnRedis({ place: primary?.place }));
  const firstAddress = primary?.place.address ?? "127.0.0.1";
  const args = ["--replicaof", firstAddress, String(first.port), "--repl-ping-replica-period", "1"];
  if (primary !== undefined) args.push("--bind", "127.0.0.1", primary.here);
  const second = started.use(await spawnRedis({ args }));
  const folder = started.use(await scratchFolder());
  const file = join(folder.path, "sentinel.conf");
  const port = await freePort();
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${folder.path}`,
    `sentinel monitor ${master} ${firstAddress} ${first.port} 1`,
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
