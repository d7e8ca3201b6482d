import {
  createOriginReader,
  keepLargest,
  maxOrigins,
  originRangeNames,
  originRanges,
  type Tallies,
} from "@postern/shared/domain/origins";
import { rollupFields, rollupSeries, rollupSeriesNames } from "@postern/shared/domain/rollups";
import { type RedisClient, rollupKey } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testRedis } from "../../../../test/support/redis-content.ts";
import { createOriginStore } from "./origins-redis.ts";

let server: RedisServer;
let redis: RedisClient;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});
beforeEach(() => redis.flushall());
afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

const nowMs = 1_900_000_000_000;
const period = (number: number, tallies: { countries?: Tallies; systems?: Tallies }) => ({
  range: "1h" as const,
  number,
  tallies: { countries: new Map(), systems: new Map(), ...tallies },
});
const present = Math.floor(nowMs / originRanges["1h"].stepMs);
const de = (ok: number, refused: number): Tallies => new Map([["DE", { ok, refused, name: "" }]]);

const named = (name: string): Tallies => new Map([["64500", { ok: 1, refused: 0, name }]]);

test("engines add up, a batch that is sent twice counts once, and only periods of the range are read", async () => {
  const [one, other] = [createOriginStore(redis, "p:", "a"), createOriginStore(redis, "p:", "b")];
  await one(1, [period(present, { countries: de(1, 2), systems: named("Old Name") })]);
  await one(1, [period(present, { countries: de(1, 2), systems: named("Old Name") })]);
  await other(1, [period(present, { countries: de(10, 20), systems: named("New Name") })]);
  await one(2, [period(present - 5, { countries: de(100, 200), systems: named("") })]);
  await one(3, [period(present - 6, { countries: de(1000, 2000) })]);
  const found = await createOriginReader(redis, "p:")("1h", nowMs);
  expect(found.countries).toEqual(new Map([["DE", { ok: 111, refused: 222, name: "" }]]));
  expect(found.systems).toEqual(new Map([["64500", { ok: 3, refused: 0, name: "New Name" }]]));
  expect(found.sinceMs).toBe((present - 5) * originRanges["1h"].stepMs);
  for (const key of await redis.keys("*")) expect(await redis.ttl(key)).toBeGreaterThan(0);
});

const tally = fc.record({
  system: fc.integer({ min: 1, max: 500 }),
  ok: fc.nat({ max: 1_000_000_000 }),
  refused: fc.nat({ max: 1_000_000_000 }),
});

const sumOf = (of: Tallies, count: "ok" | "refused") => [...of.values()].reduce((sum, one) => sum + one[count], 0);

test("Redis keeps what the engines would keep, and no count is lost", async () => {
  let engine = 0;
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(tally, { selector: ({ system }) => system, maxLength: 300 }), async (sent) => {
      engine += 1;
      const prefix = `p${engine}:`;
      const store = createOriginStore(redis, prefix, "a");
      const systems: Tallies = new Map(sent.map(({ system, ...of }) => [String(system), { ...of, name: "" }]));
      await store(1, [period(present, { systems: new Map(systems) })]);
      const { systems: found } = await createOriginReader(redis, prefix)("1h", nowMs);
      keepLargest(systems, maxOrigins.systems);
      expect(found.size).toBeLessThanOrEqual(maxOrigins.systems);
      expect([sumOf(found, "ok"), sumOf(found, "refused")]).toEqual([sumOf(systems, "ok"), sumOf(systems, "refused")]);
      const first = sent.toSorted((a, b) => b.refused - a.refused)[0];
      if (first !== undefined) expect(found.has(String(first.system))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("with every entry in every period, all counts over time together take less than 2 MiB", async () => {
  const store = createOriginStore(redis, "p:", "a");
  const largest = { ok: 1_000_000_000, refused: 1_000_000_000 };
  const codes = Array.from({ length: 256 }, (_, index) =>
    String.fromCharCode(65 + (index % 26), 65 + Math.floor(index / 26)),
  );
  const countries: Tallies = new Map(codes.map((code) => [code, { ...largest, name: "" }]));
  const systems: Tallies = new Map(
    codes.slice(0, 128).map((_, index) => [String(4_000_000_000 + index), { ...largest, name: "x".repeat(36) }]),
  );
  let batch = 0;
  for (const range of originRangeNames) {
    for (let age = 0; age < originRanges[range].periods + 3; age += 1) {
      batch += 1;
      await store(batch, [{ range, number: 1_000_000 + age, tallies: { countries, systems } }]);
    }
  }
  for (const series of rollupSeriesNames) {
    const fields = rollupFields.flatMap((field) => [field, 1_000_000_000]);
    for (let age = 0; age < rollupSeries[series].kept + 3; age += 1)
      await redis.hset(rollupKey.build("p:", series, String(1_000_000 + age)), "bans", 1_000_000, ...fields);
  }
  const sizeOf = async (pattern: string): Promise<number> => {
    const sizes = await Promise.all(
      (await redis.keys(pattern)).map(async (key) => Number(await redis.memory("USAGE", key))),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  expect(await sizeOf("p:origins:*")).toBeLessThan(800 * 1024);
  expect(await sizeOf("p:*")).toBeLessThan(2 * 1024 * 1024);
});
