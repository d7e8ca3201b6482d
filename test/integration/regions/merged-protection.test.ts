import type { RedisClient } from "@postern/shared/platform/redis";
import { type RedisCluster, type RedisServer, spawnRedis, spawnRedisCluster } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect } from "../brute-force/counting.ts";
import { createMergingRegion, type MergingRegion, type Message } from "./merging-region.ts";

const topologies = ["standalone", "cluster"] as const;
const hourMs = 3_600_000;

async function deliver(from: MergingRegion, to: MergingRegion, change = (message: Message) => message) {
  const messages = await from.messages();
  for (const message of messages) await to.receive(from.name, change(message));
  return messages;
}

/** Written half an hour earlier. */
const older = (message: Message): Message => ("event" in message ? { ...message, ageMs: hourMs / 2 } : message);

/** As a region sends it whose clock is two hours ahead. */
function inTwoHours(message: Message): Message {
  if ("event" in message) return message;
  const item: Record<string, unknown> = Object(message.item);
  const { figures, periodMs } = item;
  const [window = 0, ...counted] = Array.isArray(figures) ? figures.map(Number) : [];
  const shiftMs = 2 * hourMs;
  const windows = typeof periodMs === "number" ? shiftMs / periodMs : 0;
  return { item: { ...item, sentMs: Number(item["sentMs"]) + shiftMs, figures: [window + windows, ...counted] } };
}

describe.each(topologies)("protection of two regions in a %s Redis", (kind) => {
  let server: RedisServer | RedisCluster;
  let redis: RedisClient;
  let east: MergingRegion;
  let west: MergingRegion;
  let host = 0;
  /** Of this test. */
  let ip: string;
  let user: string;

  beforeAll(async () => {
    const spawned = kind === "cluster" ? await spawnRedisCluster() : await spawnRedis();
    server = spawned;
    redis = await connect(
      "addresses" in spawned
        ? { kind: "cluster", addresses: spawned.addresses }
        : { kind: "standalone", address: { host: "127.0.0.1", port: spawned.port } },
    );
    east = await createMergingRegion(redis, "east", ["west"]);
    west = await createMergingRegion(redis, "west", ["east"]);
  });

  afterAll(async () => {
    for (const region of [east, west]) region.suspensions.close();
    redis.disconnect();
    await server[Symbol.asyncDispose]();
  });

  beforeEach(() => {
    host += 1;
    ip = `198.51.${host}.7`;
    user = `user-${host}@example.test`;
  });

  const fail = async ({ counting }: MergingRegion, times: number, first = 0) => {
    for (let time = 0; time < times; time += 1) await counting.fail(ip, `wrong-${first + time}`, { user });
    return (await counting.check(ip)).ban;
  };

  test("a ban refuses in the other region for the time that is left of it", async () => {
    const ban = await fail(east, 10);
    await deliver(east, west, older);
    const there = (await west.counting.check(ip)).ban;
    expect(there).toMatchObject({ rule: "host", network: ip });
    const leftMs = (there?.expiresAtMs ?? 0) - (ban?.expiresAtMs ?? 0);
    expect(leftMs).toBeGreaterThan(-hourMs / 2 - 5000);
    expect(leftMs).toBeLessThan(-hourMs / 2 + 5000);
    const { bans } = await west.counting.state.listBans({ cursor: undefined, size: 100 });
    expect(bans.map(({ network }) => network)).toContain(ip);
  });

  test("a network that is unbanned in one region is unbanned in both, and a late message does not ban it again", async () => {
    await fail(east, 10);
    const messages = await deliver(east, west);
    await west.counting.state.flush({ ipAddress: ip, ruleName: "*" });
    await deliver(west, east);
    for (const message of messages) await west.receive("east", message);
    expect((await east.counting.check(ip)).ban).toBeUndefined();
    expect((await west.counting.check(ip)).ban).toBeUndefined();
    // Nothing of the old count is left in either: nine more failures are too few.
    await deliver(east, west);
    expect(await fail(east, 9, 100)).toBeUndefined();
    await deliver(east, west);
    expect((await west.counting.fail(ip, "wrong-200", { user })).ban).toMatchObject({ rule: "host" });
  });

  test("a ban that the region of an unban did not know stays", async () => {
    await fail(east, 10);
    await fail(west, 10);
    await east.counting.state.flush({ ipAddress: ip, ruleName: "*" });
    await deliver(east, west);
    expect((await west.counting.check(ip)).ban).toMatchObject({ rule: "host" });
    await deliver(west, east);
    expect((await east.counting.check(ip)).ban).toMatchObject({ rule: "host" });
  });

  test("failures in both regions reach one limit, whatever the clock of the other region says", async () => {
    expect(await fail(east, 5)).toBeUndefined();
    await deliver(east, west, inTwoHours);
    expect(await fail(west, 4, 50)).toBeUndefined();
    expect(await west.counting.rulesOf(ip)).toMatchObject([{ rule: "host", failures: 9, limit: 10 }, { rule: "net" }]);
    expect((await west.counting.fail(ip, "wrong-99", { user })).ban).toMatchObject({ rule: "host" });
  });

  test("a success subtracts typing errors in the other region too", async () => {
    await fail(east, 3);
    await deliver(east, west);
    await east.counting.succeed(ip, user);
    east.counting.forgiven(ip, user);
    await deliver(east, west);
    expect(await fail(west, 9, 50)).toBeUndefined();
  });

  test("a flush of one rule leaves the counts of the others, in both regions", async () => {
    await fail(east, 9);
    await deliver(east, west);
    await east.counting.state.flush({ ipAddress: ip, ruleName: "host" });
    await deliver(east, west);
    // The other rule counts the whole /24: 25 failures, of which 9 are in the other region.
    for (let time = 0; time < 15; time += 1)
      await west.counting.fail(ip.replace(/7$/u, String(100 + time)), "wrong", { user: `${time}${user}` });
    expect((await west.counting.check(ip)).ban).toBeUndefined();
    expect((await west.counting.fail(ip.replace(/7$/u, "99"), "wrong", { user })).ban).toMatchObject({ rule: "net" });
  });

  test("wrong passwords of an account are added over the regions, and a flush ends the delay in all", async () => {
    for (const password of ["a", "b", "c"]) await east.failAccount(user, password);
    const old = await deliver(east, west);
    expect(await west.delayedFailures(user)).toBe(0);
    expect(await west.failAccount(user, "d")).toBe(4);
    expect(await west.failAccount(user, "e")).toBe(5);
    await deliver(west, east);
    expect(await west.delayedFailures(user)).toBe(5);
    // Nobody has failed there since, and yet its engines know.
    expect(await east.delayedFailures(user)).toBe(5);
    await west.counting.state.flushAccount(user);
    await deliver(west, east);
    for (const message of old) await west.receive("east", message);
    expect([await east.delayedFailures(user), await west.delayedFailures(user)]).toEqual([0, 0]);
    expect(await east.failAccount(user, "f")).toBe(1);
    expect(await west.failAccount(user, "g")).toBe(1);
  });

  test("an account knows a network from which it signed in at another region, even after a flush", async () => {
    await west.signIn(user, "192.0.2.0/24");
    await east.signIn(user, "198.51.100.0/24");
    await deliver(east, west);
    await west.counting.state.flushAccount(user);
    expect(await west.knowsNetwork(user, "198.51.100.0/24")).toBe(true);
    expect(await west.knowsNetwork(user, "192.0.2.0/24")).toBe(true);
    expect(await west.knowsNetwork(user, "203.0.113.0/24")).toBe(false);
  });

  test("a region that has lost its place reads the bans and suspensions that are in force", async () => {
    await fail(east, 10);
    await east.suspensions.suspend({ account: user, sinceMs: 1, by: "operator", session: "s" });
    const kinds: string[] = [];
    let from: string | undefined;
    do {
      const { events, next } = await east.appliers.snapshot(from);
      for (const event of events) await west.receive("east", { event, ageMs: 0 });
      kinds.push(...events.map((event) => event.kind));
      from = next;
    } while (from !== undefined);
    expect((await west.counting.check(ip)).ban).toMatchObject({ rule: "host" });
    await west.suspensions.refresh();
    expect(west.suspensions.find(user)).toMatchObject({ account: user });
    // The log then names the same ban: one unban removes it.
    await deliver(east, west);
    await west.counting.state.flush({ ipAddress: ip, ruleName: "*" });
    expect((await west.counting.check(ip)).ban).toBeUndefined();
  });

  test("tokens of a subject that are revoked in one region are revoked in both, and new ones of either are valid", async () => {
    const issuer = "https://issuer.example";
    await east.revoker.denySubject(issuer, user);
    await deliver(east, west);
    const epoch = await east.revoker.epochOf(issuer, user);
    expect(epoch).toBeGreaterThan(0);
    expect(await west.revoker.epochOf(issuer, user)).toBe(epoch);
    await west.revoker.denySubject(issuer, user);
    await deliver(west, east);
    expect(await east.revoker.epochOf(issuer, user)).toBe(await west.revoker.epochOf(issuer, user));
    await east.revoker.deny(`token-${host}`, Date.now() + hourMs);
    await deliver(east, west, older);
    expect(await redis.pttl(`west:token:denied:{token-${host}}`)).toBeGreaterThan(0);
  });

  test("what another region bans under a rule that this one does not have is refused, and is not tried again", async () => {
    const event = { kind: "ban", id: "north 1", network: ip, rule: "of-north", remainingMs: hourMs } as const;
    await expect(west.receive("north", { event, ageMs: 0 })).rejects.toBeInstanceOf(RangeError);
  });
});
