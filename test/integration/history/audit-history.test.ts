import {
  type AuditEntry,
  createAuditHistory,
  createAuditHistoryRecorder,
  createAuditHistoryWriter,
  type ReadAuditHistory,
} from "@postern/shared/domain/history";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll, type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testRedis } from "../../support/redis-content.ts";

const keyPrefix = "postern:";
const keys = createKeyRing([new Secret("test-encryption-secret")], "audit-history");
const lifeMs = 3_600_000;

let server: RedisServer;
let redis: RedisClient;
let read: ReadAuditHistory;
beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
  read = createAuditHistory({ redis, keyPrefix, keys, lifeMs, nowMs: () => Date.now() });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
});

const writerOf = (maxRecords: number) =>
  createAuditHistoryWriter({ redis, keyPrefix, keys, limits: { lifeSeconds: lifeMs / 1000, maxRecords } });

let clock = 0;
/** Each a millisecond later than the one before. */
function entry(fields: AuditEntry): AuditEntry {
  clock = Math.max(clock + 1, Date.now());
  return {
    time: new Date(clock).toISOString(),
    service: "s",
    instance: "i",
    event: "account.read",
    outcome: "ok",
    ...fields,
  };
}

const everything = () => true;
const targets = (entries: readonly AuditEntry[]): readonly string[] => entries.map(({ target = "" }) => target);

async function allPages(size: number, matches: (one: AuditEntry) => boolean = everything): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ size, cursor, matches });
    found.push(...targets(page.entries));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

const isOldest = ({ target }: AuditEntry): boolean => target === "oldest";
const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => String(index));

test("records of both kinds are one list, newest first, and pages neither repeat nor skip one", async () => {
  const write = writerOf(1000);
  for (const block of numbers(6)) {
    // In one call, Redis gives them the same millisecond.
    await write(
      "identified",
      numbers(3).map((one) => entry({ actor: "a", target: `${block}.${one}` })),
    );
    await write(
      "unidentified",
      numbers(3).map((one) => entry({ outcome: "denied", target: `${block}.${one}!` })),
    );
  }
  const [whole, ...others] = await Promise.all([500, 1, 2, 5, 7].map((size) => allPages(size)));
  expect(whole).toHaveLength(36);
  expect(new Set(whole).size).toBe(36);
  // Blocks of the two kinds may have the same millisecond; those of one kind are in order.
  for (const isOfKind of [(text: string) => text.endsWith("!"), (text: string) => !text.endsWith("!")]) {
    const blocks = whole?.filter(isOfKind).map((text) => Number.parseInt(text, 10)) ?? [];
    expect(blocks).toEqual(blocks.toSorted((one, other) => other - one));
    expect(blocks).toHaveLength(18);
  }
  for (const other of others) expect(other).toEqual(whole);
});

test("denials that anyone can cause do not displace what identified actors did", async () => {
  const write = writerOf(1000);
  await write("identified", [entry({ actor: "operator", target: "kept" })]);
  for (const _ of numbers(40)) {
    await write(
      "unidentified",
      numbers(100).map(() => entry({ event: "caller.rejected", outcome: "denied", target: "flood" })),
    );
  }
  const found = await allPages(500);
  expect(found.filter((one) => one === "kept")).toHaveLength(1);
  expect(found.length).toBeLessThan(1300);
  expect(await allPages(10, ({ actor }) => actor === "operator")).toEqual(["kept"]);
});

test("a page ends after 2000 records that do not match, and continues", async () => {
  const write = writerOf(100_000);
  await write("identified", [entry({ actor: "a", target: "oldest" })]);
  for (const _ of numbers(5)) {
    await write(
      "identified",
      numbers(500).map(() => entry({ actor: "a", target: "other" })),
    );
  }
  const first = await read({ size: 10, matches: isOldest });
  expect([first.entries, typeof first.next]).toEqual([[], "string"]);
  expect(await allPages(10, isOldest)).toEqual(["oldest"]);
});

test("a time range has the records within it, by their own time", async () => {
  const write = writerOf(1000);
  const entries = numbers(9).map((target) => entry({ actor: "a", target }));
  await write("identified", entries);
  const [from, to] = [Date.parse(entries[3]?.["time"] ?? ""), Date.parse(entries[5]?.["time"] ?? "")];
  const page = await read({ size: 100, sinceMs: from, untilMs: to, matches: everything });
  expect(targets(page.entries)).toEqual(["5", "4", "3"]);
});

test("what is stored is sealed, expires, and is not read under another name", async () => {
  await writerOf(1000)("identified", [entry({ actor: "a", target: "secret-target" })]);
  const [name = ""] = await redis.keys("*");
  expect(await redis.ttl(name)).toBeGreaterThan(lifeMs / 1000 - 100);
  const [[, [, sealed = ""]] = ["", []]] = await redis.xrange(name, "-", "+");
  expect(Buffer.from(sealed, "base64").includes("secret-target")).toBe(false);
  await redis.rename(name, name.replace("identified", "unidentified"));
  expect(await allPages(10)).toEqual([]);
  await expect(read({ size: 1, cursor: "1-1", matches: everything })).rejects.toThrow(RangeError);
});

test("records wait while Redis is unavailable, up to a bound, and those beyond it are counted", async () => {
  let isReady = false;
  let [written, lost] = [0, 0];
  const recorder = createAuditHistoryRecorder({
    write: writerOf(10_000),
    isReady: () => isReady,
    onWritten: (count) => {
      written += count;
    },
    onLost: (count) => {
      lost += count;
    },
  });
  for (const target of numbers(2100)) recorder.note(entry({ actor: "a", target }));
  recorder.note(entry({ outcome: "denied", target: "other kind" }));
  expect([written, lost]).toEqual([0, 52]);
  isReady = true;
  await poll("the records", async () => written === 2049);
  recorder.note(entry({ actor: "a", target: "last" }));
  await recorder.close();
  expect([written, lost]).toEqual([2050, 52]);
  expect((await allPages(500))[0]).toBe("last");
});
