import { hash } from "node:crypto";
import {
  createDecisionHistory,
  createHistoryWriter,
  type DecisionBatch,
  type RecordedDecision,
} from "@postern/shared/domain/history";
import { spawnRedisCluster } from "@postern/testing";
import { afterAll, beforeEach, expect, test } from "vitest";
import {
  connect,
  denied,
  keyPrefix,
  keys,
  limits,
  lives,
  nowMs,
  type Run,
  run,
  startHistory,
} from "./history-store.ts";

const { redis, history, write, stop } = await startHistory();
beforeEach(() => redis.flushall());
afterAll(stop);

const countsIn = (records: readonly RecordedDecision[]) => records.map(({ count }) => count);
const outcomes = (records: readonly RecordedDecision[]) =>
  records.map(({ outcome, count }) => `${outcome} ${count}`).toSorted();
const account = (index: number) => ({ account: `user${index}`, username: `user${index}` });
const sessionOf = (index: number) => ({ session: `${index}`.padStart(36, "0") });

const later = (minutes: number, fields: Partial<Run> = {}): Run =>
  denied({ timeMs: nowMs + minutes * 60_000, firstMs: nowMs + minutes * 60_000, ...fields });

test("two engines continue one run; an hour without it begins another", async () => {
  const other = createHistoryWriter({ redis, keyPrefix, keys, limits, instance: "engine-2" });
  const begun: DecisionBatch = { runs: [denied({})], referred: [], traffic: [], failingNetworks: [] };
  await Promise.all([write([denied({})]), other(begun, nowMs)]);
  await write([later(50, { isRepetition: true, count: 2 })]);
  await write([later(120, { isRepetition: true })]);
  const found = await history.ofAccount("alice@example.test");
  expect(found.map(({ count, firstMs }) => [count, firstMs])).toEqual([
    [1, nowMs + 7_200_000],
    [4, nowMs],
  ]);
});

const on = (days: number, fields: Partial<Run> = {}): Run => {
  const timeMs = nowMs + days * 86_400_000;
  return run({ timeMs, firstMs: timeMs - 60_000, count: 3, isRepetition: true, ...fields });
};

test("ordinary successes are counted by day, network and program, over all engines, for as long as configured", async () => {
  const other = createHistoryWriter({ redis, keyPrefix, keys, limits, instance: "engine-2" });
  const day = Math.floor(nowMs / 86_400_000);
  await write([on(-40), on(-29), on(-2)]);
  await other({ runs: [on(0)], referred: [], traffic: [], failingNetworks: [] }, nowMs);
  // Late, from an engine that was slow; and of another address of the network.
  await write([on(-2, { count: 1, clientIp: "203.0.113.77" }), on(0, { client: "thunderbird" })]);
  const found = await history.ofAccount("alice@example.test");
  expect(found).toHaveLength(2);
  expect(found.find(({ client }) => client === "")).toMatchObject({
    count: 10,
    timeMs: nowMs,
    firstMs: (day - 29) * 86_400_000,
    clientIp: "203.0.113.77",
    days: [
      { day, count: 3 },
      { day: day - 2, count: 4 },
      { day: day - 29, count: 3 },
    ],
  });
});

test("a success after a failure is recorded individually, and displaces no count", async () => {
  await write([run({ count: 7 })]);
  for (let index = 0; index < 20; index += 1) {
    const timeMs = nowMs - index * 60_000;
    await write([run({ timeMs, firstMs: timeMs, isAfterFailure: true, session: `session-${index}` })]);
  }
  const found = await history.ofAccount("alice@example.test");
  expect(found.filter(({ days }) => days !== undefined)).toMatchObject([{ count: 7 }]);
  expect(found.filter(({ days }) => days === undefined).length).toBeGreaterThan(0);
});

test("the median account takes at most 600 bytes, and the largest 14 KB", async () => {
  const size = async (pattern: string): Promise<number> => {
    const sizes = (await redis.keys(pattern)).map(async (key) => Number(await redis.memory("USAGE", key)));
    return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
  };
  const days = Array.from({ length: 30 }, (_, index) => index);
  for (const day of days) {
    const timeMs = nowMs + day * 86_400_000;
    await write([run({ timeMs, firstMs: timeMs, count: 120 })], timeMs);
  }
  expect(await size("postern:history:{account:*:ok")).toBeLessThanOrEqual(600);
  await redis.flushall();
  const wide = createHistoryWriter({
    redis,
    keyPrefix,
    keys,
    limits: { ...limits, perAccount: 20 },
    instance: "engine-1",
  });
  const long = "x".repeat(64);
  for (const day of days) {
    const timeMs = nowMs + day * 86_400_000;
    const runs = Array.from({ length: 12 }, (_, index) => {
      const at = { timeMs, firstMs: timeMs, clientIp: `192.0.${index}.${day}`, client: long };
      return [run(at), denied(at), run({ ...at, isAfterFailure: true })];
    }).flat();
    expect(await wide({ runs, referred: [], traffic: [], failingNetworks: [] }, timeMs)).toBe(0);
  }
  expect(await size("postern:history:{account:*:o*")).toBeLessThanOrEqual(14_336);
});

test("in a Redis Cluster, records are found by account, network and reference", async () => {
  await using cluster = await spawnRedisCluster();
  const client = await connect({ kind: "cluster", addresses: cluster.addresses });
  try {
    const session = "dddddddd-20b4-4444-8888-000000000000";
    const runs = Array.from({ length: 40 }, (_, index) => {
      const who = { account: `user${index}`, username: `user${index}`, clientIp: `198.51.${index}.1` };
      return [run(who), denied({ ...who, session }), run({ ...who, isAfterFailure: true })];
    }).flat();
    const referred = runs.filter(({ outcome }) => outcome !== "ok");
    const writeThere = createHistoryWriter({ redis: client, keyPrefix, keys, limits, instance: "engine-1" });
    for (let time = 0; time < 2; time += 1)
      expect(await writeThere({ runs, referred, traffic: [], failingNetworks: [] }, nowMs)).toBe(0);
    const there = createDecisionHistory({ redis: client, keyPrefix, keys, ...lives, nowMs: () => nowMs });
    expect(countsIn(await there.ofAccount("user7"))).toEqual([2, 2, 2]);
    expect(countsIn(await there.ofNetwork("198.51.7.9"))).toEqual([2, 2, 2]);
    expect(await there.ofReference(session)).toMatchObject({ outcome: "denied" });
  } finally {
    client.disconnect();
  }
});

test("what the version before wrote is shown: an equal record in two histories, and references of networks", async () => {
  const seconds = nowMs / 1000;
  const [ofAccount, ofNetwork] = ["account alice@example.test", "network 203.0.113.0/24"].map((name) =>
    hash("sha256", name, "base64url").slice(0, 22),
  );
  const shown = "cccccccc-20b4";
  const texts = ["alice@example.test", "", "203.0.113.9", "imap", "wrong_password", "", "", "", "engine-0"];
  for (const [kind, digest = ""] of [
    ["account", ofAccount],
    ["network", ofNetwork],
  ] as const) {
    const start = `${keyPrefix}history:{${kind}:${digest.slice(0, 1)}}:${digest}`;
    for (const [list, outcome] of [
      ["ok", "ok"],
      ["other", "denied"],
    ] as const) {
      const sealed = keys.seal(JSON.stringify([outcome, "mail", texts]), `${start}:${list}`).toString("base64");
      const record = `${outcome}-earlier`.padEnd(11, "x").slice(0, 11);
      await redis.lpush(`${start}:${list}`, `${record} ${seconds - 60} ${seconds} 3 ${shown}-4444 ${sealed}`);
    }
  }
  const place = `${shown} ${ofNetwork} denied-earl`;
  await redis.zadd(
    `${keyPrefix}history:references:{${hash("sha256", shown, "base64url").slice(0, 1)}}`,
    seconds,
    place,
  );
  await write([denied({}), run()]);
  const all = ["denied 1", "denied 3", "ok 1", "ok 3"];
  expect(outcomes(await history.ofAccount("alice@example.test"))).toEqual(all);
  expect(outcomes(await history.ofNetwork("203.0.113.1"))).toEqual(all);
  expect(await history.ofReference(shown)).toMatchObject({ outcome: "denied", count: 3 });
});

/** Calls of commands, those in scripts included. */
async function commands(): Promise<number> {
  const stats = await redis.info("commandstats");
  const calls = [...stats.matchAll(/^cmdstat_([^:|]+)[^:]*:calls=(\d+),/gm)].filter(([, name = ""]) => name !== "info");
  return calls.reduce((sum, [, , count]) => sum + Number(count), 0);
}

const counted = (index: number) => run({ ...account(index), isRepetition: true, clientIp: `100.64.${index >> 6}.9` });
const guess = (index: number): Run =>
  denied({ ...account(index % 50), ...sessionOf(index), clientIp: `100.65.${index >> 5}.${index % 250}` });
const botnet = (index: number): Run =>
  denied({ ...account(index % 50), ...sessionOf(index), clientIp: `10.${index >> 8}.${index & 255}.1` });

test("a batch costs few commands: of ordinary successes, of guesses at accounts, and of guesses from a botnet", async () => {
  const many = { ...limits, perAccount: 20, perNetwork: 50, maxAccounts: 100_000, maxNetworks: 5000 };
  const writeMany = createHistoryWriter({ redis, keyPrefix, keys, limits: many, instance: "engine-1" });
  const measured = async (count: number, of: (index: number) => Run): Promise<number> => {
    const runs = Array.from({ length: count }, (_, index) => of(index));
    const referred = runs.filter(({ outcome }) => outcome !== "ok");
    const before = await commands();
    expect(await writeMany({ runs, referred, traffic: [], failingNetworks: [] }, nowMs)).toBe(0);
    return ((await commands()) - before) / count;
  };
  await measured(600, counted);
  const costs = [await measured(600, counted), await measured(600, guess), await measured(2000, botnet)];
  expect(costs.map((cost, index) => cost < ([2.1, 3.5, 2][index] ?? 0) || cost)).toEqual([true, true, true]);
});
