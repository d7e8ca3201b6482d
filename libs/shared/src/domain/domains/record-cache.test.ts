import { expect, test } from "vitest";
import { readDomainRecord } from "../../platform/config/index.ts";
import { domainOfRecord, type KnownDomain } from "./domain.ts";
import { InvalidRecord, RecordCache } from "./record-cache.ts";

/** A source with the domains that are put into it, and its clock. */
function source(limits: { readonly maxRecords?: number; readonly maxUnknownPerSecond?: number } = {}) {
  const records = new Map<string, KnownDomain>();
  const queries: string[] = [];
  const gate: { until?: Promise<undefined> } = {};
  const state = { now: 1_000_000, isAway: false, failures: 0 };
  const settings = { lifetimeMs: 60_000, outageLifetimeMs: 3_600_000, maxRecords: 100, maxUnknownPerSecond: 100 };
  const cache = new RecordCache(
    async (domain) => {
      queries.push(domain);
      await gate.until;
      if (state.isAway) throw new Error("away");
      return records.get(domain);
    },
    { ...settings, ...limits },
    { clock: { now: () => state.now }, onFailure: () => (state.failures += 1) },
  );
  const put = (name: string, fields: object = {}): void => {
    const domain = domainOfRecord(readDomainRecord({ name, ...fields }), "source");
    for (const one of [domain.name, ...domain.aliases]) records.set(one, domain);
  };
  const find = async (domain: string) => cache.find(domain);
  return { cache, records, queries, state, gate, put, find };
}

test("a domain is read once in its lifetime, known or not, and at once after a flush", async () => {
  const { cache, queries, state, put, find } = source();
  put("a.test", { aliases: ["b.test"] });
  const [one, two] = await Promise.all([find("a.test"), find("a.test")]);
  expect([one?.name, two?.name, queries]).toEqual(["a.test", "a.test", ["a.test"]]);
  expect(await find("c.test")).toBeUndefined();
  expect(cache.find("c.test")).toBeUndefined();
  await find("b.test");
  queries.length = 0;
  put("a.test", { aliases: ["b.test"], enabled: false });
  put("c.test");
  cache.forget("a.test");
  cache.forget("c.test");
  expect([(await find("b.test"))?.isEnabled, (await find("a.test"))?.isEnabled]).toEqual([false, false]);
  expect((await find("c.test"))?.name).toBe("c.test");
  state.now += 60_000;
  await find("a.test");
  expect(queries).toEqual(["b.test", "a.test", "c.test", "a.test"]);
});

test("what was read before a flush is not kept", async () => {
  const waiting = Promise.withResolvers<undefined>();
  const clock = { now: () => 0 };
  const limits = { lifetimeMs: 1000, outageLifetimeMs: 1000, maxRecords: 9, maxUnknownPerSecond: 9 };
  let queries = 0;
  const read = async () => ((queries += 1) === 1 ? waiting.promise : undefined);
  const cache = new RecordCache(read, limits, { clock, onFailure: () => undefined });
  const before = cache.find("a.test");
  cache.forget("a.test");
  waiting.resolve(undefined);
  await before;
  await cache.find("a.test");
  expect(queries).toBe(2);
});

test("a flush of one domain leaves the queries of others, and the pause of a source that is away", async () => {
  const waiting = Promise.withResolvers<undefined>();
  const { cache, queries, state, find, gate } = source();
  gate.until = waiting.promise;
  const before = [find("a.test"), find("b.test")];
  cache.forget("a.test");
  const again = [find("a.test"), find("b.test")];
  expect(queries).toEqual(["a.test", "b.test", "a.test"]);
  waiting.resolve(undefined);
  await Promise.all([...before, ...again]);
  await Promise.all([find("a.test"), find("b.test")]);
  expect(queries).toEqual(["a.test", "b.test", "a.test"]);
  state.isAway = true;
  await expect(find("c.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  cache.forget("a.test");
  await expect(find("d.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(queries.slice(3)).toEqual(["c.test"]);
  cache.forget();
  await expect(find("d.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(queries.slice(3)).toEqual(["c.test", "d.test"]);
});

test("what was read by an alias before a flush of the domain is not kept", async () => {
  const waiting = Promise.withResolvers<undefined>();
  const { cache, queries, put, find, gate } = source();
  put("a.test", { aliases: ["alias.test"] });
  gate.until = waiting.promise;
  const before = find("alias.test");
  cache.forget("a.test");
  waiting.resolve(undefined);
  await before;
  await find("alias.test");
  expect(queries).toEqual(["alias.test", "alias.test"]);
});

test("while the source is away, known domains go on, and new ones are undecided without a query each", async () => {
  const { queries, state, put, find } = source();
  put("a.test");
  await find("a.test");
  state.isAway = true;
  state.now += 60_000;
  expect((await find("a.test"))?.name).toBe("a.test");
  await expect(find("new.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect((await find("a.test"))?.name).toBe("a.test");
  expect([queries, state.failures]).toEqual([["a.test", "a.test"], 1]);
  state.isAway = false;
  state.now += 1000;
  expect(await find("new.test")).toBeUndefined();
  state.isAway = true;
  state.now += 3_600_001;
  await expect(find("a.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
});

test("a record that is not valid is a fault of its domain only", async () => {
  let queries = 0;
  const read = async (domain: string) => {
    queries += 1;
    if (domain === "broken.test") throw new InvalidRecord("a key");
    return undefined;
  };
  const limits = { lifetimeMs: 1000, outageLifetimeMs: 9000, maxRecords: 9, maxUnknownPerSecond: 9 };
  const cache = new RecordCache(read, limits, { clock: { now: () => 0 }, onFailure: () => undefined });
  for (let times = 0; times < 2; times += 1)
    await expect(cache.find("broken.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect([await cache.find("other.test"), queries]).toEqual([undefined, 3]);
});

test("queries in progress count until they find a record", async () => {
  const waiting = Promise.withResolvers<KnownDomain | undefined>();
  let queries = 0;
  const read = () => {
    queries += 1;
    return waiting.promise;
  };
  const limits = { lifetimeMs: 1000, outageLifetimeMs: 1000, maxRecords: 99, maxUnknownPerSecond: 3 };
  const cache = new RecordCache(read, limits, { clock: { now: () => 0 }, onFailure: () => undefined });
  const finds = Array.from({ length: 20 }, async (_value, index) => cache.find(`x${index}.test`));
  waiting.resolve(domainOfRecord(readDomainRecord({ name: "a.test" }), "source"));
  const settled = await Promise.allSettled(finds);
  expect([queries, settled.filter(({ status }) => status === "rejected").length]).toEqual([3, 17]);
  for (let index = 20; index < 40; index += 1) await cache.find(`x${index}.test`);
  expect(queries).toBe(23);
});

test("an unknown domain is undecidable when its answer has expired and the source is away", async () => {
  const { state, find } = source();
  expect(await find("a.test")).toBeUndefined();
  state.isAway = true;
  state.now += 60_000;
  await expect(find("a.test")).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
});

test("names that attackers choose evict no known domain, and cause a bounded number of queries", async () => {
  const { cache, queries, state, put, find } = source({ maxRecords: 5, maxUnknownPerSecond: 3 });
  put("a.test");
  await find("a.test");
  for (let index = 0; index < 50; index += 1) {
    await find(`x${index}.test`).catch(() => undefined);
    if (index % 10 === 9) state.now += 1000;
  }
  expect(queries.length).toBe(1 + 5 * 3);
  expect([cache.find("a.test"), cache.size]).toMatchObject([{ name: "a.test" }, 1]);
});
