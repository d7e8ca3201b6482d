import { createSecretKey } from "node:crypto";
import type { AuthDecision } from "@postern/shared/contracts";
import {
  countedDays,
  countedWeeks,
  createDomainCountReader,
  dayOf,
  maxDomainsADay,
  otherDomains,
} from "@postern/shared/domain/domain-counts";
import { domainOfRecord, type KnownDomain, unknownDomain } from "@postern/shared/domain/domains";
import { readDomainRecord } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { domainDayKey, type RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testRedis } from "../../../../test/support/redis-content.ts";
import { DomainCounter } from "./domain-counts.ts";
import { createDomainCountStore } from "./domain-counts-redis.ts";

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

const digest = createKeyedDigest(createSecretKey(Buffer.alloc(32)));
const startMs = 1_900_000_000_000;
const dayMs = 86_400_000;
const domainOf = (name: string): KnownDomain => domainOfRecord(readDomainRecord({ name }), "records");
const ok = (account: string): AuthDecision => ({
  outcome: "ok",
  account,
  accountField: "",
  totpSecretField: "",
  backend: 2,
  attributes: {},
  memoryCache: "miss",
});
const wrong: AuthDecision = { outcome: "fail", reason: "wrong_password", memoryCache: "miss" };
const undecided: AuthDecision = { outcome: "tempfail", code: "INTERNAL", message: "" };
const { record: _none, ...byDefault } = domainOf("x.test");

/** An engine whose clock stands still. */
function engineAt(name: string, clock: { nowMs: number }) {
  const counter = new DomainCounter({ now: () => clock.nowMs });
  const store = createDomainCountStore(redis, "p:", name, digest);
  let batch = 0;
  const write = async (): Promise<number> => {
    const before = batch;
    for (let parts = counter.take(); parts.length > 0; parts = counter.take()) {
      batch += 1;
      // A batch that is sent twice counts once.
      await store(batch, parts);
      await store(batch, parts);
    }
    return batch - before;
  };
  return { counter, write };
}

const read = (nowMs: number, ...names: readonly string[]) => createDomainCountReader(redis, "p:")(names, nowMs);

const seen = async (nowMs: number) => (await read(nowMs, "a.test"))[0]?.accounts.accounts;

test("engines add up by domain and day; what has no record of its own counts together", async () => {
  const clock = { nowMs: startMs };
  const [one, other] = [engineAt("1", clock), engineAt("2", clock)];
  const [a, b] = [domainOf("a.test"), domainOf("b.test")];
  for (const { counter } of [one, other]) {
    counter.decided({ domain: a }, ok("ann@a.test"), {});
    counter.decided({ domain: a }, wrong, {});
    counter.decided({ domain: a }, undecided, {});
    counter.decided({ domain: byDefault }, wrong, {});
    counter.decided({ domain: unknownDomain }, wrong, {});
    counter.decided({}, wrong, {});
  }
  one.counter.decided({ domain: a }, ok("app@a.test"), { credential: "app_password" });
  one.counter.hasFactors(a, "ann@a.test", ["second_factors"]);
  other.counter.hasFactors(a, "ann@a.test", ["second_factors", "app_passwords"]);
  other.counter.hasFactors(byDefault, "x@x.test", ["second_factors"]);
  other.counter.reported({ outcome: "ok", account: "bob@b.test" }, b);
  other.counter.reported({ outcome: "blocked", account: undefined }, b);
  await Promise.all([one.write(), other.write()]);
  clock.nowMs += dayMs;
  one.counter.decided({ domain: b }, ok("bob@b.test"), {});
  await one.write();
  const [ofA, ofB, rest] = await read(clock.nowMs, "a.test", "b.test", otherDomains);
  const today = dayOf(clock.nowMs);
  expect(ofA?.days).toHaveLength(countedDays);
  expect(ofA?.days.slice(-2)).toEqual([
    { day: today - 1, ok: 3, failed: 2 },
    { day: today, ok: 0, failed: 0 },
  ]);
  expect(ofA).toMatchObject({ lastMs: startMs, accounts: { accounts: 2, second_factors: 1, app_passwords: 2 } });
  expect(ofB?.days.slice(-2).map(({ ok: good, failed }) => [good, failed])).toEqual([
    [1, 1],
    [1, 0],
  ]);
  expect(ofB).toMatchObject({ lastMs: clock.nowMs, accounts: { accounts: 1 } });
  expect(rest).toMatchObject({ lastMs: undefined, accounts: { accounts: 0, second_factors: 0 } });
  expect(rest?.days.at(-2)).toMatchObject({ ok: 0, failed: 4 });
  for (const key of await redis.keys("*")) expect(await redis.ttl(key)).toBeGreaterThan(0);
});

test("an account is sent once in a week, and is seen for some weeks", async () => {
  const clock = { nowMs: startMs };
  const { counter, write } = engineAt("1", clock);
  const domain = domainOf("a.test");
  const sent = (): number => counter.take()[0]?.parts[0]?.accounts.accounts.length ?? 0;
  for (let time = 0; time < 3; time += 1) counter.decided({ domain }, ok("ann@a.test"), {});
  expect(sent()).toBe(1);
  counter.decided({ domain }, ok("ann@a.test"), {});
  expect(sent()).toBe(0);
  clock.nowMs += 7 * dayMs;
  counter.decided({ domain }, ok("bob@a.test"), {});
  await write();
  counter.decided({ domain }, ok("ann@a.test"), {});
  await write();
  expect(await seen(clock.nowMs + 7 * dayMs)).toBe(2);
  expect(await seen(clock.nowMs + countedWeeks * 7 * dayMs)).toBe(0);
});

test("neither an engine nor Redis keeps more domains than its bound, and no sign-in is lost", async () => {
  const clock = { nowMs: startMs };
  const { counter, write } = engineAt("1", clock);
  const day = domainDayKey.build("p:", String(dayOf(startMs)));
  const fields = Array.from({ length: maxDomainsADay - 1 }, (_, index) => [`old${index}.test`, "1 0 1"]);
  await redis.hset(day, Object.fromEntries(fields));
  for (let index = 0; index < 2100; index += 1) counter.decided({ domain: domainOf(`d${index}.test`) }, wrong, {});
  const many = domainOf("d0.test");
  for (let index = 0; index < 2000; index += 1) counter.decided({ domain: many }, ok(`u${index}@d0.test`), {});
  expect(await write()).toBeGreaterThan(2000 / 64);
  expect(await redis.hlen(day)).toBe(maxDomainsADay + 1);
  const [first, rest] = await read(startMs, "d0.test", otherDomains);
  expect([first?.days.at(-1), rest?.days.at(-1)]).toMatchObject([
    { ok: 2000, failed: 1 },
    { ok: 0, failed: 2099 },
  ]);
  // As many as fit in a batch; the others when they are seen again.
  expect(first?.accounts.accounts).toBeGreaterThan(450);
  expect(first?.accounts.accounts).toBeLessThan(550);
});
