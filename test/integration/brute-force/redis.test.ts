import { accountWideKeys, createBanIndex } from "@postern/shared/domain/brute-force";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type RedisCluster, type RedisServer, spawnRedis, spawnRedisCluster } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NetworkNote } from "../../../services/auth-engine/src/brute-force/shared-store.ts";
import { type Counting, connect, createCounting } from "./counting.ts";

/** A page may span all of them. */
const shardsOfIndex = 16;

/** A sign-in from 192.0.13.0/24. */
const noteFor = (user: string): NetworkNote => ({
  keys: [accountWideKeys("test:", user).known],
  args: ["192.0.13.0/24", 1_800_000_000, 3600, 32, 1],
});

const topologies = ["standalone", "cluster"] as const;

describe.each(topologies)("counting in a %s Redis", (kind) => {
  let server: RedisServer | RedisCluster;
  let clients: readonly RedisClient[];
  let one: Counting;
  let other: Counting;

  beforeAll(async () => {
    if (kind === "cluster") {
      const cluster = await spawnRedisCluster();
      server = cluster;
      const topology = { kind, addresses: cluster.addresses };
      clients = await Promise.all([connect(topology), connect(topology)]);
    } else {
      const redis = await spawnRedis();
      server = redis;
      const topology = { kind, address: { host: "127.0.0.1", port: redis.port } };
      clients = await Promise.all([connect(topology), connect(topology)]);
    }
    const [first, second] = clients.map((client) => createCounting(client));
    if (first === undefined || second === undefined) throw new Error("no client");
    [one, other] = [first, second];
  });

  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await server[Symbol.asyncDispose]();
  });

  test("the tenth of 60 parallel guesses through two engines bans, and the ban is in force when the last is answered", async () => {
    const ip = "192.0.2.1";
    const counts = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? one : other).fail(ip, `guess-${index}`)),
    );
    expect(counts.filter(({ ban }) => ban === undefined).length).toBe(9);
    // The narrow rule bans at its tenth failure, the wide one at its own limit.
    expect(counts.filter(({ isNew, ban }) => isNew && ban?.rule === "host").length).toBe(2);
    expect((await other.check(ip)).ban).toMatchObject({ rule: "host", network: ip });
    expect(await one.succeed(ip)).toMatchObject({ rule: "host" });
    expect(await one.state.bansOfAddress(ip)).toMatchObject([{ rule: "host" }, { rule: "net" }]);
  });

  test("the same wrong password of a known account counts once in 500 attempts", async () => {
    const ip = "192.0.3.1";
    for (let round = 0; round < 10; round += 1) {
      const counts = await Promise.all(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? one : other).fail(ip, "old password")),
      );
      expect(counts.filter(({ repeated }) => !repeated).length).toBe(round === 0 ? 1 : 0);
    }
    expect((await one.check(ip)).ban).toBeUndefined();
    const last = await one.fail(ip, "another");
    expect(last).toMatchObject({ accountPasswordsSeen: 2, totalPasswordsSeen: 2 });
  });

  test("a repeated password of an unknown account counts each time", async () => {
    for (let index = 0; index < 9; index += 1) await one.fail("192.0.4.1", "x", { user: "nobody", known: false });
    expect((await one.check("192.0.4.1")).ban).toBeUndefined();
    expect(await one.fail("192.0.4.1", "x", { user: "nobody", known: false })).toMatchObject({ isNew: true });
  });

  test("a success undoes the few wrong passwords of the account, not those of a guesser", async () => {
    const ip = "192.0.5.1";
    for (const user of ["user1", "user2", "user3"]) {
      for (const password of ["typo 1", "typo 2", "typo 3"]) {
        expect((await one.fail(ip, password, { user })).ban).toBeUndefined();
      }
      expect((await other.check(ip, user)).pending).toBe(true);
      expect(await other.succeed(ip, user)).toBeUndefined();
      expect((await one.check(ip, user)).pending).toBe(false);
    }
    for (let index = 0; index < 4; index += 1) await one.fail(ip, `guess ${index}`, { user: "victim" });
    await one.succeed(ip, "victim");
    for (let index = 0; index < 5; index += 1) await one.fail(ip, `more ${index}`, { user: "other" });
    expect((await one.check(ip)).ban).toBeUndefined();
    expect(await one.fail(ip, "last", { user: "other" })).toMatchObject({ isNew: true });
  });

  test("a success replaces keys of another type: it is recorded, and failures count as before", async () => {
    const ip = "192.0.11.1";
    await one.fail(ip, "typo");
    const keys = await clientKeys(clients, "*192.0.11.*");
    expect(keys.length).toBeGreaterThan(3);
    for (const key of keys) {
      const isHash = (await clients[0]?.type(key)) === "hash";
      await clients[0]?.del(key);
      if (isHash) await clients[0]?.set(key, "no hash", "EX", 600);
      else await clients[0]?.hset(key, "no", "string");
    }
    expect(await other.succeed(ip)).toBeUndefined();
    for (let guess = 1; guess < 10; guess += 1)
      expect(await one.fail(ip, `guess ${guess}`)).toMatchObject({ accountPasswordsSeen: guess, ban: undefined });
    expect(await one.fail(ip, "guess 10")).toMatchObject({ isNew: true });
  });

  test("a ban of another type is deleted when a success meets it, and the ban of another rule stays", async () => {
    const ip = "192.0.12.1";
    for (let guess = 1; guess <= 60; guess += 1) await one.fail(ip, `guess ${guess}`);
    expect(await one.succeed(ip)).toMatchObject({ rule: "host" });
    const [banKey = ""] = one.target(ip, "alice").scopes.map((scope) => scope.banKey);
    await clients[0]?.del(banKey);
    await clients[0]?.hset(banKey, "no", "string");
    expect(await other.succeed(ip)).toMatchObject({ rule: "net" });
    expect(await clients[0]?.exists(banKey)).toBe(0);
  });

  test("a success notes its network in the same call, unless a ban is in force, and not on a cluster", async () => {
    const ip = "192.0.13.1";
    const isNoted = kind !== "cluster";
    expect(await one.noteAndSucceed(ip, "nina", noteFor("nina"))).toEqual({ ban: undefined, isNoted });
    const { known } = accountWideKeys("test:", "nina");
    const [client] = clients;
    expect(await client?.zscore(known, "192.0.13.0/24")).toBe(isNoted ? "1800000000" : null);
    expect(await client?.ttl(known)).toBe(isNoted ? 3600 : -2);
    for (let guess = 0; guess < 60; guess += 1) await one.fail(ip, `guess ${guess}`, { user: "oscar" });
    const refused = await one.noteAndSucceed(ip, "oscar", noteFor("oscar"));
    expect(refused).toMatchObject({ ban: { rule: "host" }, isNoted: false });
    expect(await client?.exists(accountWideKeys("test:", "oscar").known)).toBe(0);
    await client?.set(accountWideKeys("test:", "peggy").known, "no set", "EX", 60);
    const recorded = await one.noteAndSucceed("192.0.14.1", "peggy", noteFor("peggy"));
    expect(recorded).toEqual({ ban: undefined, isNoted: false });
  });

  test("a guesser between sign-ins of real users is banned, because only a limited number of failures is undone", async () => {
    const ip = "192.0.7.1";
    for (let round = 1; round <= 3; round += 1) {
      await one.fail(ip, `guess ${round}`, { user: "busy" });
      await one.succeed(ip, "busy");
    }
    // The fourth password of the account, and all that follow, stay counted.
    for (let round = 4; round <= 12; round += 1) {
      expect((await one.fail(ip, `guess ${round}`, { user: "busy" })).ban).toBeUndefined();
      expect(await one.succeed(ip, "busy")).toBeUndefined();
    }
    expect(await one.fail(ip, "guess 13", { user: "busy" })).toMatchObject({ isNew: true });
    const sprayed = "192.0.8.1";
    const banned: number[] = [];
    for (let user = 1; user <= 40 && banned.length === 0; user += 1) {
      const { ban } = await one.fail(sprayed, "Winter2026!", { user: `u${user}` });
      if (ban === undefined) await one.succeed(sprayed, `u${user}`);
      else banned.push(user);
    }
    expect(banned[0]).toBeGreaterThan(15);
    expect(banned[0]).toBeLessThan(30);
  });

  test("1,000 addresses of one /64 are one source; another /64 is not", async () => {
    const failures = Array.from({ length: 1000 }, (_, index) => `2001:db8:1:2::${index.toString(16)}`);
    await Promise.all(failures.map((ip) => one.fail(ip, ip)));
    const found = await one.check("2001:db8:1:2:ffff::1");
    expect(found.ban).toMatchObject({ rule: "v6", network: "2001:db8:1:2::/64" });
    expect((await one.check("2001:db8:1:3::1")).ban).toBeUndefined();
    expect((await clientKeys(clients, "*2001:db8:1:2*:ban:*")).length).toBe(1);
  });

  test("every key has a time to live", async () => {
    await one.remember("alice", "192.0.2.1");
    const keys = await clientKeys(clients, "*");
    expect(keys.length).toBeGreaterThan(10);
    const lives = await Promise.all(keys.map(async (key) => [key, await clients[0]?.ttl(key)]));
    expect(lives.filter(([, ttl]) => typeof ttl !== "number" || ttl <= 0)).toEqual([]);
  });

  test("bans are listed page by page, each once, and a flush removes them from the list", async () => {
    for (let host = 1; host <= 25; host += 1) {
      for (let guess = 0; guess < 10; guess += 1) await one.fail(`198.18.${host}.1`, `g${guess}`);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await other.state.listBans({ cursor, size: 4 });
      seen.push(...page.bans.map(({ rule, network }) => `${rule} ${network}`));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((ban) => ban.startsWith("host 198.18.")).length).toBe(25);
    const removed = await other.state.flush({ ipAddress: "198.18.7.1", ruleName: "host" });
    expect(removed).toEqual([
      "test:bf:{198.18.7.0/24}:ban:host:198.18.7.1",
      "test:bf:{198.18.7.0/24}:count:host:198.18.7.1",
    ]);
    expect((await one.check("198.18.7.1")).ban).toBeUndefined();
    const rest = await other.state.listBans({ size: 1000 });
    expect(rest.bans.some(({ network }) => network === "198.18.7.1")).toBe(false);
    expect(await other.state.flush({ ipAddress: "198.18.7.1", ruleName: "host" })).toEqual([]);
  });

  test("the next page continues at the right place although the last ban was deleted, also among many that end in one second", async () => {
    const [client] = clients;
    if (client === undefined) throw new Error("no client");
    const index = createBanIndex(client, "test:");
    const bannedAtMs = Date.now();
    const expiresAtMs = bannedAtMs + 3_600_000;
    const networks = Array.from({ length: 300 }, (_, host) => `198.51.${host % 100}.${Math.floor(host / 100) + 1}`);
    for (const network of networks) {
      const key = `test:bf:{${network.replace(/\.\d+$/u, ".0/24")}}:ban:host:${network}`;
      await client.set(key, `${bannedAtMs} ${expiresAtMs} ${network} host`, "PX", 3_600_000);
      await index(key, { rule: "host", network, bannedAtMs, expiresAtMs });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await one.state.listBans({ cursor, size: 7 });
      seen.push(...page.bans.map(({ network }) => network));
      cursor = page.next;
      await one.state.flush({ ipAddress: seen.at(-1) ?? "", ruleName: "host" });
    } while (cursor !== undefined);
    expect(seen.filter((network) => network.startsWith("198.51.")).toSorted()).toEqual(networks.toSorted());
  });

  test("a page of bans takes a few commands, however many bans and rules come before it", async () => {
    const [client] = clients;
    if (kind === "cluster" || client === undefined || client.isCluster) return;
    const calls = async (): Promise<number> => {
      const stats = await client.info("commandstats");
      const sent = stats.matchAll(/cmdstat_(?:get|mget|exists|evalsha):calls=(\d+)/gu);
      return [...sent].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    await one.state.listBans({ size: 100 });
    const before = await calls();
    expect((await one.state.listBans({ size: 100 })).bans.length).toBeGreaterThan(50);
    expect((await calls()) - before).toBeLessThanOrEqual(2 + shardsOfIndex);
  });

  test("a flush names exactly the keys that it deleted, tolerations included", async () => {
    const ip = "198.19.1.1";
    await one.succeed(ip, "good");
    for (let guess = 0; guess < 10; guess += 1) await one.fail(ip, `g${guess}`);
    const before = new Set(await clientKeys(clients, "*198.19.1.*"));
    const removed = await one.state.flush({ ipAddress: ip, ruleName: "*" });
    const after = new Set(await clientKeys(clients, "*198.19.1.*"));
    expect(removed).toEqual([...before].filter((key) => !after.has(key)).toSorted());
    expect(removed.some((key) => key.includes(":good:"))).toBe(true);
    expect(await one.state.flush({ ipAddress: ip, ruleName: "no-such-rule" })).toEqual([]);
    expect(await one.state.flush({ ipAddress: "no address", ruleName: "*" })).toEqual([]);
  });

  test("a flush by account lifts the ban of every address from which it was guessed", async () => {
    for (const ip of ["198.19.2.1", "198.19.3.1"]) {
      await one.remember("Carol", ip);
      for (let guess = 0; guess < 10; guess += 1) await one.fail(ip, `g${guess}`, { user: "carol" });
    }
    const { accounts } = await one.state.listGuessedAccounts({ size: 100 });
    expect(accounts.find(({ account }) => account === "carol")?.addresses.toSorted()).toEqual([
      "198.19.2.1",
      "198.19.3.1",
    ]);
    const removed = await one.state.flushAccount("carol");
    expect(removed.filter((key) => key.includes(":ban:")).length).toBe(2);
    expect(await clientKeys(clients, "*198.19.[23].*")).toEqual([]);
    expect(await one.state.flushAccount("carol")).toEqual([]);
  });
});

async function clientKeys(clients: readonly RedisClient[], pattern: string): Promise<readonly string[]> {
  const [client] = clients;
  if (client === undefined) return [];
  if (!("nodes" in client)) return client.keys(pattern);
  const perNode = await Promise.all(client.nodes("master").map((node) => node.keys(pattern)));
  return perNode.flat();
}
