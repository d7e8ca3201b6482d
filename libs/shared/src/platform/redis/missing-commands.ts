import { Redis } from "ioredis";
import type { RedisClient } from "./client.ts";

/** Numbers of arguments after the command, for those that need other than three. */
const argumentCounts: readonly (readonly [count: number, commands: string])[] = [
  [0, "cluster|slots time"],
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
const around: ReadonlySet<string> = new Set(["multi", "exec", "ping", "select", "role"]);

function argumentsOf(command: string, key: string): readonly string[] {
  if (command === "eval" || command === "evalsha") return ["return 1", "1", key];
  if (command === "xread") return ["streams", key, "0"];
  if (command === "bzpopmin") return [key, "1"];
  return Array.from({ length: countOf.get(command) ?? 3 }, () => key);
}

async function isRefused(reply: Promise<unknown>): Promise<boolean> {
  return reply.then(
    () => false,
    (error: unknown) => error instanceof Error && error.message.startsWith("NOPERM"),
  );
}

/**
 * Which of the commands the user of a connection must not run. Redis checks the rights when it queues the commands of a transaction, and
 * the transaction is discarded: none of them runs. A Cluster is not asked.
 *
 * @param key one that the user may use
 */
export async function missingCommands(
  client: RedisClient,
  commands: readonly string[],
  key: string,
): Promise<readonly string[]> {
  if (!(client instanceof Redis)) return [];
  const asked = commands.filter((command) => !around.has(command));
  // Sent without a pause, so that no other command of this client is between them.
  const begun = isRefused(client.call("multi"));
  const refusals = asked.map((command) => {
    const [name = "", ...subcommand] = command.split("|");
    return isRefused(client.call(name, ...subcommand, ...argumentsOf(command, key)));
  });
  const discarded = client.call("discard").catch(() => undefined);
  if (await begun) return ["multi"];
  const results = await Promise.all(refusals);
  await discarded;
  return asked.filter((_command, index) => results[index] === true);
}
