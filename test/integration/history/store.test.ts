import { createHistoryWriter, type DecisionBatch } from "@postern/shared/domain/history";
import { afterAll, beforeEach, expect, test } from "vitest";
import { denied, isFull, keyPrefix, keys, limits, nowMs, type Run, run, startHistory } from "./history-store.ts";

const { redis, writer, history, write, stop } = await startHistory();
beforeEach(() => redis.flushall());
afterAll(stop);

test("a decision is found by account, by network and, unless it succeeded, by reference", async () => {
  const failed = denied({
    session: "aaaaaaaa-20b4-4444-8888-000000000000",
    timeMs: nowMs - 5000,
    firstMs: nowMs - 5000,
  });
  await write([failed, run()]);
  const found = await history.ofAccount("Alice@Example.Test");
  expect(found.map(({ outcome, instance }) => [outcome, instance])).toEqual([
    ["ok", ""],
    ["denied", "engine-1"],
  ]);
  expect(await history.ofNetwork("203.0.113.200")).toHaveLength(2);
  expect(await history.ofReference("AAAAAAAA-20b4")).toMatchObject({
    reason: "wrong_password",
    clientIp: "203.0.113.9",
  });
  expect(await history.ofReference("7d3f91ac-20b4")).toBeUndefined();
});

const blocked = (fields: Partial<Run>): Run =>
  run({ outcome: "blocked", reason: "banned", rule: "wide", account: undefined, ...fields });

test("a sign-in that a ban refused is found by the name as typed, in any letter case, without an account's history", async () => {
  await write([blocked({ username: "newcomer@example.test" })]);
  expect(await history.ofAccount("Newcomer@example.test")).toMatchObject([
    {
      outcome: "blocked",
      rule: "wide",
      clientIp: "203.0.113.9",
      account: undefined,
      username: "newcomer@example.test",
    },
  ]);
});

test("with a history of the account, a refused sign-in is shown once", async () => {
  await write([run(), blocked({ username: "alice@example.test" })]);
  expect((await history.ofAccount("alice@example.test")).map(({ outcome }) => outcome).toSorted()).toEqual([
    "blocked",
    "ok",
  ]);
});

test("names that one banned network invents do not displace those of other networks' customers, nor take memory without end", async () => {
  await write([blocked({ username: "newcomer@example.test", clientIp: "198.51.100.7", timeMs: nowMs - 60_000 })]);
  const invented = Array.from({ length: 1000 }, (_, index) =>
    blocked({ username: `made-up-${index}@example.test`, clientIp: `203.0.113.${index % 250}` }),
  );
  await write(invented);
  expect(await history.ofAccount("newcomer@example.test")).toHaveLength(1);
  const indexes = await redis.keys("postern:history:{refused:*:index");
  const sizes = await Promise.all(indexes.map((key) => redis.zcard(key)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect([total > 200, total <= 257]).toEqual([true, true]);
  for (const key of await redis.keys("postern:history:{refused:*")) expect(await redis.ttl(key)).toBeGreaterThan(0);
});

test("an attack's references are all kept, however many fall to one key", async () => {
  const session = "bbbbbbbb-20b4-4444-8888-000000000000";
  const referred = Array.from({ length: 1200 }, (_, index) => {
    return denied({ session, clientIp: `198.18.${index >> 8}.${index & 255}`, reason: `reason ${index}` });
  });
  expect(await writer({ runs: [], referred, traffic: [], failingNetworks: [] }, nowMs)).toBe(0);
  const [key = ""] = await redis.keys("*references*");
  expect(await redis.zcard(key)).toBe(1200);
});

test("while Redis uses three quarters of its memory, no decision is recorded, and those are counted as lost", async () => {
  const used = Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
  // Each asks for the use of memory once a minute.
  const lost = (instance: string) =>
    createHistoryWriter({ redis, keyPrefix, keys, limits, instance })(
      { runs: [run()], referred: [], traffic: [], failingNetworks: [] },
      nowMs,
    );
  try {
    await redis.config("SET", "maxmemory", Math.round(used / 0.9));
    expect(await lost("one")).toBe(1);
    expect(await history.ofAccount("alice@example.test")).toEqual([]);
    await redis.config("SET", "maxmemory", used * 3);
    expect(await lost("two")).toBe(0);
  } finally {
    await redis.config("SET", "maxmemory", 0);
  }
  await write([run()]);
  expect(await history.ofAccount("alice@example.test")).toMatchObject([{ count: 2 }]);
});

test("a Redis user who may not read the use of memory records decisions", async () => {
  await redis.acl("SETUSER", "default", "-info");
  try {
    await write([run()]);
  } finally {
    await redis.acl("SETUSER", "default", "+info");
  }
  expect(await history.ofAccount("alice@example.test")).toHaveLength(1);
});

test("a mail client that polls does not displace failures, and failures do not displace successes", async () => {
  await write([denied({})]);
  for (let index = 0; index < 20; index += 1) await write([run({ clientIp: `198.51.${index}.1` })]);
  for (let index = 0; index < 20; index += 1) await write([denied({ clientIp: `192.0.2.${index}` })]);
  const found = await history.ofAccount("alice@example.test");
  expect(found.filter(({ outcome }) => outcome === "ok")).toHaveLength(limits.perAccount);
  expect(isFull(found.filter(({ outcome }) => outcome === "denied").length, limits.perAccount)).toBe(true);
});

test("made-up names create no history of an account and displace none", async () => {
  await write([run()]);
  const names = Array.from({ length: 2000 }, (_, index) =>
    denied({ account: undefined, username: `guess${index}`, reason: "unknown_user" }),
  );
  await write(names);
  expect(await history.ofAccount("guess7")).toEqual([]);
  expect(await history.ofAccount("alice@example.test")).toHaveLength(1);
  const ofNetwork = await history.ofNetwork("203.0.113.9");
  expect(isFull(ofNetwork.filter(({ outcome }) => outcome === "denied").length, limits.perNetwork)).toBe(true);
});

test("a refusal that does not prove the account is added to an existing history only", async () => {
  const banned = { outcome: "blocked", reason: "banned", rule: "imap", account: undefined } as const;
  await write([run()]);
  await write(["alice@example.test", "bob@example.test"].map((username) => run({ ...banned, username })));
  expect(await history.ofAccount("alice@example.test")).toHaveLength(2);
  expect(await history.ofAccount("bob@example.test")).toEqual([]);
});

test("the number of accounts is limited, and those without a recent sign-in go first", async () => {
  const many = Array.from({ length: 3000 }, (_, index) =>
    run({
      account: `user${index}`,
      username: `user${index}`,
      timeMs: nowMs + index * 1000,
      firstMs: nowMs + index * 1000,
    }),
  );
  await write(many);
  const lists = (await redis.keys("postern:history:{account:*:ok")).length;
  expect(lists).toBeLessThanOrEqual(limits.maxAccounts);
  expect(await history.ofAccount("user2999")).toHaveLength(1);
  expect(await history.ofAccount("user0")).toEqual([]);
});

test("neither names nor addresses nor reasons are readable in Redis, and every key expires", async () => {
  await write([run(), denied({ username: "hunter2-typed-as-name", account: undefined, reason: "unknown_user" })]);
  const found = await redis.keys("*");
  const texts = await Promise.all(
    found.map(async (key) =>
      (await redis.type(key)) === "list" ? redis.lrange(key, 0, -1) : redis.zrange(key, "0", "-1"),
    ),
  );
  const all = [...found, ...texts.flat()].join("\n");
  for (const word of ["alice", "hunter2", "203.0.113", "unknown_user", "engine-1"]) expect(all).not.toContain(word);
  for (const key of found) expect(await redis.ttl(key)).toBeGreaterThan(0);
});

test("a record that was copied to another account is not shown", async () => {
  await write([run(), run({ account: "bob", username: "bob" })]);
  const [first = "", second = ""] = await redis.keys("postern:history:{account:*:ok");
  await redis.copy(first, second, "REPLACE");
  const found = [await history.ofAccount("alice@example.test"), await history.ofAccount("bob")];
  expect(found.flat()).toHaveLength(1);
});

test("traffic and failing networks are counted over two engines", async () => {
  const minute = Math.floor(nowMs / 60_000);
  const batch: DecisionBatch = {
    runs: [],
    referred: [],
    traffic: [
      [`${minute}:ok`, 7],
      [`${minute}:denied`, 2],
    ],
    failingNetworks: [
      ["192.0.2.0/24", 2, "counted"],
      ["198.51.100.0/24", 1, "counted"],
      ["198.51.100.0/24", 40, "repeated"],
      ["203.0.113.0/24", 9, "refused"],
    ],
  };
  await Promise.all([writer(batch, nowMs), writer(batch, nowMs)]);
  expect(await history.traffic(nowMs - 60_000, nowMs)).toEqual([
    { minuteMs: (minute - 1) * 60_000, ok: 0, denied: 0, blocked: 0, undecided: 0 },
    { minuteMs: minute * 60_000, ok: 14, denied: 4, blocked: 0, undecided: 0 },
  ]);
  expect(await history.failingNetworks(nowMs, 10)).toEqual([
    { network: "192.0.2.0/24", counted: 4, repeated: 0, refused: 0 },
    { network: "198.51.100.0/24", counted: 2, repeated: 80, refused: 0 },
    { network: "203.0.113.0/24", counted: 0, repeated: 0, refused: 18 },
  ]);
});
