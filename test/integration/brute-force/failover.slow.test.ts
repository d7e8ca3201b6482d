import { poll, type RedisSentinel, spawnRedisSentinel } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const failures = 5;
let redis: RedisSentinel;
let stack: Stack;

beforeAll(async () => {
  redis = await spawnRedisSentinel();
  const { host, port } = redis.address;
  stack = await startStack({
    shape: "five",
    engines: 2,
    services: ["admin"],
    settings: {
      runtime: { timeouts: { decision: "20s" } },
      storage: {
        redis: { connect_timeout: "10s", sentinels: { master: redis.master, addresses: [`${host}:${port}`] } },
      },
      auth: {
        controls: {
          enabled: ["brute_force"],
          brute_force: {
            buckets: [{ name: "net", period: "1h", ban_time: "1h", cidr: 24, failed_requests: failures, ipv4: true }],
            without_redis: { timeout: "1s", retry_interval: "100ms" },
            account_delay: { enabled: false },
          },
        },
      },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const ask = async (clientIp: string, password: string = alice.password): Promise<number> =>
  (await askJson(stack.url, { ...alice, password, client_ip: clientIp })).status;

async function ban(network: string, round = 0): Promise<void> {
  for (let index = 1; index <= failures; index += 1) await ask(`${network}.1`, `wrong-${round}-${index}`);
}

async function isAway(engine: ServiceProcess): Promise<boolean> {
  return (await engine.metrics()).includes("\nservice_brute_force_redis_away 1\n");
}

/** The correct password from a network, many times, so that each engine decides some. */
async function statusesOf(network: string): Promise<ReadonlySet<number>> {
  return new Set(await Promise.all(Array.from({ length: 10 }, (_, index) => ask(`${network}.${index + 1}`))));
}

async function expectBanned(network: string): Promise<void> {
  expect(await statusesOf(network)).toEqual(new Set([403]));
}

test("a ban that no engine has met holds while the primary is frozen, and after Sentinel has replaced it", async () => {
  await ban("203.0.113");
  redis.first.signal("SIGSTOP");
  // Both engines must decide without Redis, and both must then be on the new primary.
  await poll("the engines to notice", async () => {
    await expectBanned("203.0.113");
    return (await Promise.all(stack.engines.map(isAway))).every(Boolean);
  });
  expect(await ask("198.51.100.1")).toBe(200);
  await poll("the engines to be on the new primary", async () => {
    await expectBanned("203.0.113");
    return !(await Promise.all(stack.engines.map(isAway))).some(Boolean);
  });
  expect(await redis.primaryPort()).toBe(redis.second.port);
});

/** Operators see the ban: it is in Redis, and not only in the memory of engines. */
async function isListed(network: string): Promise<boolean> {
  const response = await fetch(`${stack.url}/api/v1/bruteforce/list`, { headers: { authorization: basicAuth } });
  return response.ok && (await response.text()).includes(`${network}.0/24`);
}

test("an engine is ready once it has read the bans, so that they hold even if Redis is gone from then on", async () => {
  // Sentinel's announcement makes clients connect once more, and a busy machine can miss the time limit of Redis. A ban made meanwhile
  // is in the memory of the engines only.
  let round = 0;
  await poll("the ban in Redis", async () => {
    await ban("192.0.2", (round += 1));
    return isListed("192.0.2");
  });
  await expectBanned("192.0.2");
  const others = [...stack.engines];
  await stack.startEngine();
  redis.second.signal("SIGSTOP");
  try {
    await Promise.all(others.map((other) => other.stop()));
    await expectBanned("192.0.2");
    expect(await ask("198.51.100.1")).toBe(200);
  } finally {
    redis.second.signal("SIGCONT");
  }
});
