import { accountKeys, type SourceParts, tolerationKeysOf } from "@postern/shared/domain/brute-force";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type RedisServer, spawnRedis } from "@postern/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRedisStore } from "../../../services/auth-engine/src/brute-force/brute-force-redis.ts";
import type { CountedAttempt, CountResult, Guess } from "../../../services/auth-engine/src/brute-force/shared-store.ts";
import { createTargets } from "../../../services/auth-engine/src/brute-force/targets.ts";
import { answered, connect, readSettings, unguarded } from "../../integration/brute-force/counting.ts";
import { createEarlierCount } from "./earlier-count.ts";

/** A window of this length almost never ends while the test runs. */
const periodMs = 1_000_000_000;

const settings = readSettings({
  buckets: [
    { name: "host", period: `${periodMs}ms`, ban_time: "1h", cidr: 32, failed_requests: 5, ipv4: true },
    {
      name: "net: %d",
      period: `${10 * periodMs}ms`,
      ban_time: "2h",
      cidr: 24,
      failed_requests: 8,
      ipv4: true,
      filter_by_protocol: ["imap"],
    },
  ],
});
const maxForgiven = 3;
const repeatWindowMs = 900_000;

let server: RedisServer;
let redis: RedisClient;
let run = 0;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await connect({ kind: "standalone", address: { host: "127.0.0.1", port: server.port } });
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

interface Attempt {
  readonly target: CountedAttempt;
  readonly guess: Guess;
}

/** Engines with separate keys. */
function createPlace(keyPrefix: string) {
  const parts: SourceParts = { ...settings, keyPrefix };
  return {
    keyPrefix,
    parts,
    store: createRedisStore({ redis, parts, clock: systemClock, guard: unguarded, repeatWindowMs, maxForgiven }),
    countEarlier: createEarlierCount({ redis, parts, repeatWindowMs }),
    targetOf: createTargets(settings, parts),
  };
}

type Place = ReturnType<typeof createPlace>;

interface Login {
  readonly clientIp: string;
  readonly username: string;
  readonly protocol: string;
}

const login: fc.Arbitrary<Login> = fc.record({
  clientIp: fc.constantFrom("192.0.2.1", "192.0.2.2", "198.51.100.1"),
  username: fc.constantFrom("alice", "bob"),
  protocol: fc.constantFrom("imap", "smtp"),
});
const failure = fc.record({
  login,
  known: fc.boolean(),
  password: fc.nat(7),
  maxPercent: fc.constantFrom(0, 10, 50),
});
const round = fc.record({
  failures: fc.array(failure, { minLength: 1, maxLength: 40 }),
  success: fc.option(login),
  earlier: fc.boolean(),
});
/** The earlier state: counts of past, current and future windows, old wrong passwords, accounts. */
const before = fc.record({
  login,
  window: fc.integer({ min: -3, max: 1 }),
  counts: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.nat(3)),
  passwords: fc.constantFrom(0, 62, 64),
  ageMs: fc.constantFrom(0, 30 * periodMs),
  accounts: fc.constantFrom(0, 20, 60),
});

type Failure = typeof failure extends fc.Arbitrary<infer T> ? T : never;
type Before = typeof before extends fc.Arbitrary<infer T> ? T : never;

function targetAt(place: Place, { clientIp, username, protocol }: Login): CountedAttempt {
  const { target: found } = place.targetOf({
    session: "s",
    operation: "authenticate",
    dialect: "json",
    username,
    password: undefined,
    protocol,
    clientIp,
    tls: true,
    memoryCache: true,
    sharedCache: true,
  });
  if (found === undefined) throw new Error("no rule");
  return found;
}

function attemptAt(place: Place, { login: from, known, password, maxPercent }: Failure): Attempt {
  const toleration = { minPercent: 10, maxPercent, scale: 1 };
  return { target: targetAt(place, from), guess: { digest: `digest-${password}`, known, toleration } };
}

async function prepare(place: Place, { login: from, window, counts, passwords, ageMs, accounts }: Before) {
  const { source, scopes, username } = targetAt(place, from);
  const { wrongPasswords } = accountKeys(place.parts, source, username);
  const nowMs = Date.now();
  for (const { countKey, network, rule } of scopes) {
    const [k, u, pk, pu] = counts;
    await redis.hset(countKey, { w: Math.floor(nowMs / rule.periodMs) + window, k, u, pk, pu, r: 1 });
    await redis.pexpire(countKey, 2 * rule.periodMs);
    const [good] = tolerationKeysOf(place.parts, source.tag, { network, nowMs });
    for (let index = 0; index < accounts; index += 1) await redis.pfadd(good, `account-${index}`);
    if (accounts > 0) await redis.expire(good, 3600);
  }
  for (let index = 0; index < passwords; index += 1) {
    await redis.hset(wrongPasswords, `digest-${index + 4}`, `${nowMs - ageMs}:${nowMs - ageMs}`);
  }
  if (passwords > 0) await redis.pexpire(wrongPasswords, 20 * periodMs);
}

function plain({ ban, ...rest }: CountResult): object {
  return { ...rest, ban: ban === undefined ? undefined : [ban.rule, ban.network, ban.expiresAtMs - ban.bannedAtMs] };
}

/** Keys without their prefix, values without times. */
async function contents({ keyPrefix }: Place): Promise<Readonly<Record<string, unknown>>> {
  const keys = (await redis.keys(`${keyPrefix}*`)).toSorted();
  const found = keys.map(async (key): Promise<readonly [string, unknown]> => {
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    const name = key.slice(keyPrefix.length);
    if (name.includes(":guesses:") || name.includes(":good:")) return [name, await redis.pfcount(key)];
    if (name.includes(":ban:")) return [name, (await redis.get(key))?.split(" ").slice(2)];
    if (name.includes(":pending:")) return [name, "there"];
    const hash = Object.entries(await redis.hgetall(key)).toSorted(([left], [right]) => (left < right ? -1 : 1));
    return [name, name.includes(":pw:") ? hash.map(([field, value]) => [field, value.startsWith("0:")]) : hash];
  });
  return Object.fromEntries(await Promise.all(found));
}

test("failures counted in one call give the same state as failures counted one by one, even beside engines of the previous version", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(before, { maxLength: 4 }),
      fc.array(round, { minLength: 1, maxLength: 4 }),
      async (initialStates, rounds) => {
        run += 1;
        const earlier = createPlace(`${run}-earlier:`);
        const together = createPlace(`${run}-together:`);
        const mixed = createPlace(`${run}-mixed:`);
        for (const place of [earlier, together, mixed]) for (const one of initialStates) await prepare(place, one);
        for (const { failures, success, earlier: byEarlier } of rounds) {
          const [expected, ...others] = await Promise.all(
            [earlier, together, mixed].map(async (place) => {
              const old = place === earlier || (place === mixed && byEarlier);
              const answers = failures.map((one) => {
                const { target, guess } = attemptAt(place, one);
                return old ? place.countEarlier(target, guess) : answered(place.store.count(target, guess));
              });
              const counted = (await Promise.all(answers)).map(plain);
              const toleration = { minPercent: 10, maxPercent: 10, scale: 1 };
              const said = success && (await place.store.succeed(targetAt(place, success), "alice", toleration));
              return { counted, banned: said?.ban?.rule };
            }),
          );
          for (const other of others) expect(other).toEqual(expected);
        }
        const left = await contents(earlier);
        expect(await contents(together)).toEqual(left);
        expect(await contents(mixed)).toEqual(left);
      },
    ),
    { numRuns: 60 },
  );
});

const many: Failure = {
  login: { clientIp: "192.0.2.1", username: "alice", protocol: "imap" },
  known: true,
  password: 0,
  maxPercent: 0,
};

function countAt(place: Place, overrides: Partial<Login>, password = 0): Promise<CountResult> {
  const { target, guess } = attemptAt(place, { ...many, login: { ...many.login, ...overrides }, password });
  return answered(place.store.count(target, guess));
}

async function scriptsSent(): Promise<number> {
  const stats = await redis.info("commandstats");
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/gu)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

test("60 failures of one event-loop turn take two calls, and the script is loaded again if Redis has lost it", async () => {
  const place = createPlace("calls:");
  await countAt(place, {});
  const before = await scriptsSent();
  const hosts = Array.from({ length: 60 }, (_, host) => `198.51.${host}.1`);
  const counted = await Promise.all(hosts.map((clientIp) => countAt(place, { clientIp })));
  expect(counted.filter(({ accountPasswordsSeen }) => accountPasswordsSeen === 1).length).toBe(60);
  expect((await scriptsSent()) - before).toBe(2);
  await redis.script("FLUSH");
  const again = await Promise.all(hosts.map((clientIp) => countAt(place, { clientIp }, 1)));
  expect(again.filter(({ accountPasswordsSeen }) => accountPasswordsSeen === 2).length).toBe(60);
});

test("a key with an invalid value is counted again from zero, without an effect on the other keys", async () => {
  const place = createPlace("wrong:");
  const { scopes } = targetAt(place, { ...many.login, clientIp: "192.0.2.2" });
  await redis.set(scopes[0]?.countKey ?? "", "no hash", "EX", 60);
  const said = await Promise.all(
    ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((clientIp) => countAt(place, { clientIp })),
  );
  expect(said.map(({ repeated, accountPasswordsSeen }) => [repeated, accountPasswordsSeen])).toEqual([
    [false, 1],
    [false, 1],
    [false, 1],
  ]);
  expect(await redis.hget(scopes[0]?.countKey ?? "", "k")).toBe("1");
  const banned = await Promise.all(
    [1, 2, 3, 4, 5].map((password) => countAt(place, { clientIp: "192.0.2.3" }, password)),
  );
  expect(banned.map(({ ban }) => ban?.network)).toEqual([undefined, undefined, undefined, "192.0.2.3", "192.0.2.3"]);
});

test("keys of an account that were deleted while others remain get an expiry again", async () => {
  const place = createPlace("removed:");
  let password = 0;
  await countAt(place, {});
  for (const family of ["pw", "guesses", "pending", "count"]) {
    await redis.del(...(await redis.keys(`removed:*:${family}:*`)));
    password += 2;
    await countAt(place, {}, password - 1);
    await countAt(place, {}, password);
    for (const key of await redis.keys("removed:*")) expect(await redis.pttl(key)).toBeGreaterThan(0);
  }
});

test("a success that undoes old counts leaves no wrong passwords without an expiry", async () => {
  const place = createPlace("old:");
  const from: Login = { clientIp: "192.0.2.1", username: "alice", protocol: "imap" };
  await prepare(place, {
    login: from,
    window: 0,
    counts: [0, 0, 0, 0],
    passwords: 64,
    ageMs: 30 * periodMs,
    accounts: 0,
  });
  await countAt(place, {});
  expect((await redis.keys("old:*:pw:*")).length).toBe(1);
  await place.store.succeed(targetAt(place, from), "alice", { minPercent: 10, maxPercent: 10, scale: 1 });
  expect(await redis.keys("old:*:pw:*")).toEqual([]);
  for (const key of await redis.keys("old:*")) expect(await redis.pttl(key)).toBeGreaterThan(0);
});
