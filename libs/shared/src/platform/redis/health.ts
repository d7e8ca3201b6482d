import { once } from "node:events";
import { Redis } from "ioredis";
import type { HealthCheck } from "../lifecycle/health.ts";
import type { RedisClient, RedisRole } from "./client.ts";
import { probeKey } from "./keys/general.ts";

/** Numbers of arguments after the command, for those that need other than three. */
const argumentCounts: readonly (readonly [count: number, commands: string])[] = [
  [0, "client|id cluster|slots role time"],
  [
    1,
    "client|setname decr del exists get getdel getex hgetall hlen incr info llen lpop mget persist pfadd pfcount pttl rpop scard smembers ttl type unlink xlen zcard zpopmin",
  ],
  [
    2,
    "bzpopmin expire expireat hdel hexists hget hmget incrby lindex lpos lpush pexpire pexpireat rename rpoplpush rpush sadd set sismember srem xdel zmscore zrank zrem zscore",
  ],
  [4, "xadd"],
];
const countOf = new Map(
  argumentCounts.flatMap(([count, commands]) => commands.split(" ").map((name) => [name, count] as const)),
);
/** Part of the question itself. */
const around: ReadonlySet<string> = new Set(["multi", "exec", "discard", "ping", "select"]);

function argumentsOf(command: string, key: string): readonly string[] {
  if (command === "eval" || command === "evalsha") return ["return 1", "1", key];
  if (command === "client|tracking") return ["off"];
  if (command === "client|caching") return ["no"];
  if (command === "subscribe") return ["__redis__:invalidate"];
  if (command === "xread") return ["streams", key, "0"];
  if (command === "bzpopmin") return [key, "1"];
  return Array.from({ length: countOf.get(command) ?? 3 }, () => key);
}

/** @throws whatever else prevents an answer */
async function isRefused(reply: Promise<unknown>): Promise<boolean> {
  try {
    await reply;
    return false;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ReplyError") throw error;
    return error.message.startsWith("NOPERM");
  }
}

/**
 * Which of the commands the user of a connection must not run. Redis checks the rights when it queues the commands of a transaction, which
 * ends with the connection: none of them runs. A Cluster is not asked.
 *
 * @param key one that the user may use
 * @throws Error when Redis does not answer
 */
export async function missingCommands(
  client: RedisClient,
  commands: readonly string[],
  key: string,
): Promise<readonly string[]> {
  if (!(client instanceof Redis)) return [];
  const probed = commands.filter((command) => !around.has(command));
  // On a connection of its own: other commands must not become part of the transaction, not even if it cannot be discarded.
  const connection = client.duplicate({ retryStrategy: () => null, enableOfflineQueue: true, enableReadyCheck: false });
  connection.on("error", () => undefined);
  try {
    if (await isRefused(connection.call("multi"))) return ["multi"];
    const refusals = await Promise.all(
      probed.map((command) => {
        const [name = "", ...subcommand] = command.split("|");
        return isRefused(connection.call(name, ...subcommand, ...argumentsOf(command, key)));
      }),
    );
    return probed.filter((_command, index) => refusals[index] === true);
  } finally {
    connection.disconnect();
  }
}

/** Redis is healthy if it accepts a write, and if its user may run what the service needs. */
export function redisHealth({
  client,
  role,
  required,
  keyPrefix,
  service,
  instance,
  commands = [],
}: {
  readonly client: RedisClient;
  readonly role: RedisRole;
  readonly required: boolean;
  readonly keyPrefix: string;
  readonly service: string;
  readonly instance: string;
  /** Commands that the service needs, checked until its user may run all of them. */
  readonly commands?: readonly string[];
}): HealthCheck {
  const key = probeKey.build(keyPrefix, service, instance);
  let isPermitted = commands.length === 0;
  let wasConnected = client.status === "ready";
  client.once("ready", () => {
    wasConnected = true;
  });
  return {
    name: `redis_${role}`,
    required,
    check: async (signal) => {
      // A process that starts loads code while its connections are made. Later, the reason of an outage stays the same.
      if (!wasConnected && (client.status === "connecting" || client.status === "connect"))
        await once(client, "ready", { signal });
      await client.set(key, "1", "EX", probeKey.ttlSeconds);
      // Rights that a user has are rarely taken away.
      if (isPermitted) return;
      const missing = await missingCommands(client, commands, key);
      if (missing.length > 0) throw new Error(`the Redis user has no right to run ${missing.join(", ")}`);
      isPermitted = true;
    },
  };
}
