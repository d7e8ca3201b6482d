import { execFileSync } from "node:child_process";
import { createRedisClient, type RedisClient } from "@postern/shared/platform/redis";
import { poll, type RedisSentinel, spawnRedisSentinel } from "@postern/testing";
import { expect, test } from "vitest";

interface TestClient extends Disposable {
  readonly redis: RedisClient;
  errors(): string;
}

function clientOf({ master, sentinels }: Pick<RedisSentinel, "master" | "sentinels">): TestClient {
  const errors: string[] = [];
  const redis = createRedisClient(
    {
      topology: {
        kind: "sentinel",
        master,
        addresses: sentinels.map(({ address }) => address),
        username: undefined,
        password: undefined,
      },
      database: 0,
      username: undefined,
      password: undefined,
      tls: undefined,
      connectTimeoutMs: 5000,
      commandTimeoutMs: 2000,
      maxRetries: 0,
      connectionName: "test",
    },
    (error) => errors.push(String(error)),
  );
  return { redis, errors: () => errors.join("\n"), [Symbol.dispose]: () => redis.disconnect() };
}

/** Blocks the event loop until the command ends. */
function redisCli(port: number, ...words: readonly string[]): string {
  return execFileSync("redis-cli", ["-p", String(port), ...words], { encoding: "utf8" }).trim();
}

/** Blocks the event loop for a while, as if the process were stopped. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const isReady = ({ redis }: TestClient): boolean => redis.status === "ready";

/** The value, or undefined if Redis did not decide. */
async function redeem({ redis }: TestClient): Promise<string | null | undefined> {
  return redis.getdel("code").catch(() => undefined);
}

/** A code that the old primary still has, and that has been redeemed at the new one. */
async function failOverWithCode({ first, second, sentinels }: RedisSentinel): Promise<void> {
  redisCli(first.port, "set", "code", "unused");
  expect(redisCli(first.port, "wait", "1", "10000")).toBe("1");
  first.signal("SIGSTOP");
  const others = sentinels.slice(1);
  await poll("the others to name the new primary", async () =>
    (await Promise.all(others.map((other) => other.primaryPort()))).every((port) => port === second.port),
  );
  expect(redisCli(second.port, "getdel", "code")).toBe("unused");
}

test("a primary that returns with a sentinel that was unavailable is not used again", async () => {
  await using redis = await spawnRedisSentinel({ sentinels: 3 });
  const [stale] = redis.sentinels;
  await stale?.stop();
  await failOverWithCode(redis);
  await using returned = await stale?.startAfresh();
  expect(await returned?.primaryPort()).toBe(redis.first.port);
  redis.first.signal("SIGCONT");
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      using client = clientOf(redis);
      await poll("the connection", () => isReady(client));
      return redeem(client);
    }),
  );
  expect(answers.filter((answer) => answer === "unused")).toEqual([]);
  expect(answers).toContain(null);
});

test("a process that was stopped asks the sentinels before it uses its connection again", async () => {
  await using redis = await spawnRedisSentinel({ sentinels: 3 });
  using client = clientOf(redis);
  await poll("the connection", () => isReady(client));
  const isReplaced = (): boolean =>
    redis.sentinels.every(({ address }) =>
      redisCli(address.port, "sentinel", "get-master-addr-by-name", redis.master).includes(String(redis.second.port)),
    );
  redisCli(redis.first.port, "set", "code", "unused");
  expect(redisCli(redis.first.port, "wait", "1", "10000")).toBe("1");
  redis.first.signal("SIGSTOP");
  // Longer than any stall of a process that merely has much to do.
  const [stoppedUntil, until] = [Date.now() + 3000, Date.now() + 60_000];
  while (Date.now() < stoppedUntil || (!isReplaced() && Date.now() < until)) block(100);
  expect(redisCli(redis.second.port, "getdel", "code")).toBe("unused");
  redis.first.signal("SIGCONT");
  expect(await redeem(client)).not.toBe("unused");
  await poll("the new primary", async () => (await redeem(client)) === null);
});

test("without a majority of the sentinels, no primary is used, and an open connection stays", async () => {
  await using redis = await spawnRedisSentinel({ sentinels: 3 });
  using before = clientOf(redis);
  await poll("the connection", () => isReady(before));
  const [first, second] = redis.sentinels;
  await Promise.all([first?.stop(), second?.stop()]);
  using after = clientOf(redis);
  await poll("the reason", () => after.errors().includes("no majority of 3 sentinels names one primary; 1 answered"));
  expect(await redeem(after)).toBeUndefined();
  expect(await redeem(before)).toBeNull();
  await using returned = await first?.startAfresh();
  expect(await returned?.primaryPort()).toBe(redis.first.port);
  await poll("the connection", () => isReady(after));
  expect(await redeem(after)).toBeNull();
});

test("a client asks the sentinels that the configuration does not name", async () => {
  await using redis = await spawnRedisSentinel({ sentinels: 3 });
  using client = clientOf({ ...redis, sentinels: redis.sentinels.slice(0, 1) });
  await poll("the connection", () => isReady(client));
  expect(await redeem(client)).toBeNull();
});

test("a client leaves a server that has become a replica, although no sentinel says so", async () => {
  await using redis = await spawnRedisSentinel();
  using client = clientOf(redis);
  await poll("the connection", () => isReady(client));
  await Promise.all(redis.sentinels.map((sentinel) => sentinel.stop()));
  let closed = 0;
  client.redis.on("close", () => {
    closed += 1;
  });
  redisCli(redis.first.port, "replicaof", "127.0.0.1", String(redis.second.port));
  expect(await poll("the client to leave", () => closed > 0)).toBe(true);
});
