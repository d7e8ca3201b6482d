import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, type ServerPlace, startChildServer } from "./child-server.ts";
import { freePort } from "./free-port.ts";
import { poll } from "./poll.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { type RedisServer, spawnRedis } from "./spawn-redis.ts";

export interface RedisSentinel extends AsyncDisposable {
  readonly master: string;
  /** The address of the first sentinel. */
  readonly address: { readonly host: string; readonly port: number };
  readonly sentinels: readonly SentinelServer[];
  readonly first: RedisServer;
  readonly second: RedisServer;
  /** The port of the primary, as Sentinel names it. */
  primaryPort(): Promise<number>;
  /** Makes the other server the primary, without waiting for the first one to be missed. */
  failOver(): Promise<void>;
}

export interface SentinelServer extends ChildServer {
  readonly address: { readonly host: string; readonly port: number };
  /** The port of the primary, as this sentinel names it. */
  primaryPort(): Promise<number>;
  /** Starts a new one at the same address, which knows the first primary only. Stop this one before. */
  startAfresh(): Promise<SentinelServer>;
}

const run = promisify(execFile);
const master = "main";

export interface SpawnRedisSentinelOptions {
  /** Where the primary runs, and the address at which that place reaches this host; default: this host. */
  readonly primary?: { readonly place: ServerPlace; readonly here: string };
  /** How many; a majority must agree that the primary is gone. Default: one. */
  readonly sentinels?: number;
}

async function askSentinel(port: number, words: readonly string[]): Promise<string> {
  return (await run("redis-cli", ["-p", String(port), "sentinel", ...words])).stdout;
}

interface FirstPrimary {
  readonly host: string;
  readonly port: number;
  readonly quorum: number;
}

async function spawnSentinel(first: FirstPrimary, knownPort?: number): Promise<SentinelServer> {
  const folder = await scratchFolder();
  const file = join(folder.path, "sentinel.conf");
  const port = knownPort ?? (await freePort());
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${folder.path}`,
    `sentinel monitor ${master} ${first.host} ${first.port} ${first.quorum}`,
    `sentinel down-after-milliseconds ${master} 1000`,
    `sentinel failover-timeout ${master} 10000`,
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  const server = await startChildServer({ command: "redis-server", args: [file, "--sentinel"], port });
  return {
    ...server,
    address: { host: "127.0.0.1", port },
    primaryPort: async () => Number((await askSentinel(port, ["get-master-addr-by-name", master])).split("\n")[1]),
    startAfresh: () => spawnSentinel(first, port),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A primary with one replica on loopback, and a Sentinel that replaces the primary after a second of silence. */
export async function spawnRedisSentinel({
  primary,
  sentinels: count = 1,
}: SpawnRedisSentinelOptions = {}): Promise<RedisSentinel> {
  await using started = new AsyncDisposableStack();
  const first = started.use(await spawnRedis({ place: primary?.place }));
  const firstAddress = primary?.place.address ?? "127.0.0.1";
  const args = ["--replicaof", firstAddress, String(first.port), "--repl-ping-replica-period", "1"];
  if (primary !== undefined) args.push("--bind", "127.0.0.1", primary.here);
  const second = started.use(await spawnRedis({ args }));
  const quorum = Math.floor(count / 2) + 1;
  const sentinels = await Promise.all(
    Array.from({ length: count }, () => spawnSentinel({ host: firstAddress, port: first.port, quorum })),
  );
  for (const sentinel of sentinels) started.use(sentinel);
  const knows = async ({ address }: SentinelServer): Promise<boolean> => {
    const reply = await askSentinel(address.port, ["master", master]);
    const others = /num-other-sentinels\n(\d+)/.exec(reply)?.[1];
    const replicas = await askSentinel(address.port, ["replicas", master]);
    return others === String(count - 1) && replicas.includes(String(second.port));
  };
  await poll("the sentinels to know the replica and each other", async () =>
    (await Promise.all(sentinels.map(knows))).every(Boolean),
  );
  await poll("the replica to follow", async () => {
    const { stdout } = await run("redis-cli", ["-p", String(second.port), "info", "replication"]);
    return stdout.includes("master_link_status:up");
  });
  const owned = started.move();
  const [sentinel] = sentinels;
  if (sentinel === undefined) throw new Error("no sentinel");
  return {
    master,
    address: sentinel.address,
    sentinels,
    first,
    second,
    primaryPort: () => sentinel.primaryPort(),
    failOver: async () => {
      await poll("Sentinel to begin", async () =>
        (await askSentinel(sentinel.address.port, ["failover", master])).startsWith("OK"),
      );
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
