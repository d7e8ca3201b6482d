import { setTimeout as delay } from "node:timers/promises";
import { nameDigest } from "@postern/shared/domain/account-epoch";
import { type RegionEvent, RegionLog, regionLogPurpose } from "@postern/shared/domain/regions";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { accountEpochKey, banKey, deniedTokenKey, type RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clockOffset } from "../../support/clock-offset.ts";
import { type JoinedSites, startJoinedSites } from "../../support/joined-sites.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";
import { quantileOf, showHistogram } from "./steady-load.ts";

const keyPrefix = "postern:";
const hourMs = 3_600_000;
const bucket = { name: "net", period: "1h", ban_time: "1h", failed_requests: 10, ipv4: true, cidr: 32 };

const owned = new AsyncDisposableStack();
let joined: JoinedSites;
let west: Stack;
let log: RegionLog;
let redisOfWest: RedisClient;

const client = async (site: Stack): Promise<RedisClient> => {
  const redis = await testRedis(site.redis?.port ?? 0);
  owned.defer(() => redis.disconnect());
  return redis;
};

beforeAll(async () => {
  joined = owned.use(
    await startJoinedSites(["east", "west"], (name) => ({
      gateway: false,
      settings: { auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket] } } } },
      // The services of a whole region believe that it is an hour later.
      env: name === "west" ? clockOffset(hourMs) : {},
    })),
  );
  const [first, second] = joined.sites;
  if (first === undefined || second === undefined) throw new Error("there are no two sites");
  west = second;
  for (const link of joined.links) link.delay(80, 40);
  redisOfWest = await client(west);
  const keys = createKeyRing([new Secret("test-encryption-secret")], regionLogPurpose);
  log = new RegionLog({ redis: await client(first), keyPrefix, keys });
  await arrived([ban(0)]);
}, 300_000);

afterAll(() => owned.disposeAsync());

/** An event, and the key that exists in the other region when it has taken effect there. */
interface Sent {
  readonly event: RegionEvent;
  readonly key: string;
}

function ban(number: number): Sent {
  const network = `10.1.${number >> 8}.${number & 255}`;
  return {
    event: { kind: "ban", id: `ban-${number}`, network, rule: bucket.name, remainingMs: hourMs },
    key: banKey.build(keyPrefix, network, bucket.name, network),
  };
}

function denial(number: number): Sent {
  const id = `token-${number}`;
  return { event: { kind: "token-denied", id, remainingMs: hourMs }, key: deniedTokenKey.build(keyPrefix, id) };
}

function flush(number: number): Sent {
  const user = `user-${number}@example.test`;
  return { event: { kind: "account-flush", user }, key: accountEpochKey.build(keyPrefix, nameDigest(user)) };
}

/** Milliseconds until each has taken effect in west. */
async function effectsOf(sent: ReadonlyMap<string, number>, isAll: () => boolean): Promise<readonly number[]> {
  const times: number[] = [];
  const missing = new Set<string>();
  const seen = new Set<string>();
  while (!isAll() || seen.size < sent.size) {
    for (const key of sent.keys()) if (!seen.has(key)) missing.add(key);
    for (const key of missing) {
      if ((await redisOfWest.exists(key)) === 0) continue;
      missing.delete(key);
      seen.add(key);
      times.push(performance.now() - (sent.get(key) ?? 0));
    }
    await delay(5);
  }
  return times;
}

async function countOf(keys: readonly string[]): Promise<number> {
  let count = 0;
  for (let start = 0; start < keys.length; start += 1000)
    count += await redisOfWest.exists(...keys.slice(start, start + 1000));
  return count;
}

/** Milliseconds until all have taken effect in west. */
async function arrived(all: readonly Sent[]): Promise<number> {
  const from = performance.now();
  for (let start = 0; start < all.length; start += 500)
    await log.append(...all.slice(start, start + 500).map(({ event }) => event));
  const keys = all.map(({ key }) => key);
  await poll("the events in west", async () => (await countOf(keys)) === keys.length);
  return performance.now() - from;
}

test("bans, flushes and revocations take effect in the other region within a second", async () => {
  const sent = new Map<string, number>();
  let isAll = false;
  const effects = effectsOf(sent, () => isAll);
  for (let number = 1; number <= 800; number += 1) {
    const { event, key } = [ban, denial, flush][number % 3]?.(number) ?? ban(number);
    sent.set(key, performance.now());
    await log.append(event);
    await delay(25);
  }
  isAll = true;
  const times = await effects;
  showHistogram("from the log of one region to the effect in the other", times);
  expect(times).toHaveLength(800);
  expect(quantileOf(times, 1)).toBeLessThan(1000);
}, 300_000);

test("10,000 events of a cut of half a minute take effect within ten seconds of its end", async () => {
  const [link] = joined.links;
  link?.cut();
  const beganMs = performance.now();
  const all = Array.from({ length: 10_000 }, (_, index) => (index % 2 === 0 ? ban : denial)(10_000 + index));
  for (let start = 0; start < all.length; start += 100)
    await log.append(...all.slice(start, start + 100).map(({ event }) => event));
  await delay(Math.max(0, 30_000 - (performance.now() - beganMs)));
  const keys = all.map(({ key }) => key);
  expect(await countOf(keys)).toBe(0);
  link?.restore();
  const restoredMs = performance.now();
  await poll("the events of the cut in west", async () => (await countOf(keys)) === keys.length);
  const tookMs = performance.now() - restoredMs;
  process.stdout.write(`converged after ${Math.round(tookMs)} ms\n`);
  expect(tookMs).toBeLessThan(10_000);
}, 300_000);

test("a killed worker is replaced by another one", async () => {
  const first = west.service("jobs-worker");
  await west.start("jobs-worker");
  first.signal("SIGKILL");
  expect(await arrived([ban(30_000), denial(30_000)])).toBeLessThan(15_000);
});

test("a region whose Redis has lost everything gets the bans and revocations of the others back", async () => {
  const keys = [ban(0), ban(3), denial(30_000)].map(({ key }) => key);
  redisOfWest.disconnect();
  await west.redis?.stop();
  await west.startRedis();
  redisOfWest = await client(west);
  await expect.poll(() => countOf(keys)).toBe(keys.length);
});
