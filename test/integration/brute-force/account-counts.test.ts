import { accountWideKeys, createBruteForceRecords, knownNetworkOf } from "@postern/shared/domain/brute-force";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type RedisCluster, type RedisServer, spawnRedis, spawnRedisCluster } from "@postern/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { delayMs } from "../../../services/auth-engine/src/brute-force/account-delays.ts";
import { createAccountStore } from "../../../services/auth-engine/src/brute-force/account-store-redis.ts";
import type { AccountDelaySettings } from "../../../services/auth-engine/src/brute-force/brute-force-settings.ts";
import { answered, connect, failureOf, readSettings, unguarded } from "./counting.ts";
import { createEarlierAccountCount } from "./earlier-account-count.ts";

const keyPrefix = "test:";
const failures = 5;
const rules = { buckets: [{ name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 10, ipv4: true }] };
const settings = readSettings({ ...rules, account_delay: { failures, known_for: "1h", max_delay: "5s" } });
const accountDelay: AccountDelaySettings | undefined = settings.accountDelay;
if (accountDelay === undefined) throw new Error("account delays are not enabled by default");
const delay = accountDelay;

const knownKeyOf = (name: string): string => accountWideKeys(keyPrefix, name).known;

const topologies = ["standalone", "cluster"] as const;

describe.each(topologies)("failures of accounts in a %s Redis", (kind) => {
  let server: RedisServer | RedisCluster;
  let clients: readonly RedisClient[];

  beforeAll(async () => {
    const spawned = kind === "cluster" ? await spawnRedisCluster() : await spawnRedis();
    server = spawned;
    const topology =
      "addresses" in spawned
        ? ({ kind: "cluster", addresses: spawned.addresses } as const)
        : ({ kind: "standalone", address: { host: "127.0.0.1", port: spawned.port } } as const);
    clients = await Promise.all([connect(topology), connect(topology)]);
  });

  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await server[Symbol.asyncDispose]();
  });

  const client = (index = 0): RedisClient => {
    const found = clients[index];
    if (found === undefined) throw new Error("no client");
    return found;
  };
  const engine = (index = 0) =>
    createAccountStore({ redis: client(index), keyPrefix, guard: unguarded, settings: delay, clock: systemClock });

  test("counts each of the guesses that two engines count simultaneously once", async () => {
    const [one, other] = [engine(0), engine(1)];
    const counts = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        answered(
          (index % 2 === 0 ? one : other).count(
            // Each guess occurs four times.
            failureOf("alice", `digest-${index % 15}`, "192.0.2.0/24"),
          ),
        ),
      ),
    );
    expect(counts.filter(({ isNew }) => isNew)).toHaveLength(15);
    expect(Math.max(...counts.map((count) => count.failures))).toBe(15);
    expect(await client().get(accountWideKeys(keyPrefix, "alice").delayed)).toBe(String(2 * failures));
  });

  test("a network is known from the sign-in on, and only to its account", async () => {
    const [one, other] = [engine(0), engine(1)];
    await one.noteNetwork("bob", "192.0.2.0/24");
    expect(await other.knowsNetwork("bob", "192.0.2.0/24")).toBe(true);
    expect(await other.knowsNetwork("bob", "192.0.3.0/24")).toBe(false);
    expect(await other.knowsNetwork("carol", "192.0.2.0/24")).toBe(false);
    const count = (network: string) =>
      Promise.all(
        Array.from({ length: failures }, (_, index) =>
          answered(other.count(failureOf("bob", `${network} ${index}`, network))),
        ),
      );
    expect((await count("192.0.2.0/24")).at(-1)).toMatchObject({ knowsSource: true });
    expect((await count("192.0.3.0/24")).at(-1)).toMatchObject({ knowsSource: false });
  });

  test("the keys of any typed name share a slot, expire and stay small", async () => {
    const name = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("", "{", "}", "{}", "}{", "a{b}c"));
    await fc.assert(
      fc.asyncProperty(name, fc.array(fc.nat(200), { minLength: 1, maxLength: 90 }), async (username, guesses) => {
        const store = engine();
        const counts = await Promise.all(
          guesses.map((guess) =>
            answered(store.count(failureOf(username, `d${guess}`, knownNetworkOf(`192.0.${guess}.1`)))),
          ),
        );
        await store.noteNetwork(username, "192.0.2.0/24");
        const keys = accountWideKeys(keyPrefix, username);
        expect(await client().scard(keys.failures)).toBeLessThanOrEqual(64);
        for (const key of [keys.failures, keys.known]) expect(await client().pttl(key)).toBeGreaterThan(0);
        for (const count of counts) expect(count.failures).toBeGreaterThan(0);
        await Promise.all(Object.values(keys).map((key) => client().del(key)));
      }),
      { numRuns: 40 },
    );
  });

  test("what is kept of a slowed account ends with the window after its last new wrong password, its networks later", async () => {
    const store = engine();
    const { failures: digests, delayed, known } = accountWideKeys(keyPrefix, "grace");
    const kept = [digests, delayed, known];
    const attack = async (): Promise<void> => {
      for (let index = 0; index < 3 * failures; index += 1) await store.count(failureOf("grace", `d${index}`));
    };
    await attack();
    const maxLifeMs = (delay.windowMs * 25) / 24;
    for (const key of kept) {
      const left = await client().pttl(key);
      expect(left).toBeLessThanOrEqual(maxLifeMs);
      expect(left).toBeGreaterThan(delay.windowMs - 60_000);
    }
    // Almost at the end, the next new wrong password prolongs all of it.
    const almostMs = systemClock.now() + 60_000;
    await client().zadd(known, almostMs, "until");
    for (const key of kept) await client().pexpire(key, 60_000);
    await store.count(failureOf("grace", "another"));
    for (const key of kept) expect(await client().pttl(key)).toBeGreaterThan(delay.windowMs - 60_000);
    await store.noteNetwork("grace", "192.0.2.0/24");
    await client().zadd(known, almostMs, "until");
    await store.count(failureOf("grace", "yet another"));
    expect(await store.knowsNetwork("grace", "192.0.2.0/24")).toBe(true);
    expect(await client().pttl(known)).toBeGreaterThan(delay.knownForMs - 60_000);
  });

  test("engines of the earlier version count the same accounts with the same results", async () => {
    const guess = fc.record({ digest: fc.nat(90), network: fc.nat(2), isEarlier: fc.boolean(), signsIn: fc.nat(9) });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(guess, { minLength: 1, maxLength: 120 }), async (guesses) => {
        run += 1;
        const store = engine();
        const earlier = createEarlierAccountCount(client(), delay);
        for (const { digest, network, isEarlier, signsIn } of guesses) {
          const from = `192.0.${network}.0/24`;
          const of = (name: string) => failureOf(name, `d${digest}`, from);
          const expected = await earlier(of(`earlier${run}`));
          const mixed = of(`mixed${run}`);
          const read = Number(await client().get(mixed.target.keys.delayed));
          const counted = isEarlier ? await earlier(mixed) : await store.count({ ...mixed, read });
          // Whether a password is new changes nothing while the account has as many as are kept.
          expect(counted).toMatchObject(read < 64 ? expected : { ...expected, isNew: expect.any(Boolean) });
          if (signsIn > 0) continue;
          await store.noteNetwork(`earlier${run}`, from);
          await store.noteNetwork(`mixed${run}`, from);
        }
        const delayOf = async (name: string): Promise<number> => {
          const written = await client().get(accountWideKeys(keyPrefix, `${name}${run}`).delayed);
          return delayMs(Number(written), { network: "192.0.2.0/24", isTrusted: false }, delay);
        };
        expect(await delayOf("mixed")).toBe(await delayOf("earlier"));
      }),
      { numRuns: 15 },
    );
  });

  test("a wrong password that changes nothing takes one command, and the next one prolongs what is about to end", async () => {
    const store = engine();
    const { failures: digests, delayed, known } = accountWideKeys(keyPrefix, "heidi");
    for (let index = 0; index < 64; index += 1) await store.count(failureOf("heidi", `d${index}`));
    const read = Number(await client().get(delayed));
    expect(read).toBe(64);
    await store.noteNetwork("heidi", "192.0.2.0/24");
    // The key is of a type that only the commands which are not called would report.
    await client().set(digests, "1", "EX", 60);
    const guess = (network: string) => answered(store.count({ ...failureOf("heidi", "another", network), read }));
    expect(await guess("192.0.2.0/24")).toEqual({ failures: 64, isNew: true, knowsSource: true });
    expect(await guess("192.0.3.0/24")).toEqual({ failures: 64, isNew: true, knowsSource: false });
    expect(await client().type(digests)).toBe("string");
    await client().zadd(known, systemClock.now() + 60_000, "until");
    expect(await guess("192.0.2.0/24")).toMatchObject({ failures: 1, isNew: true });
    expect(await client().type(digests)).toBe("set");
  });

  test("networks that are noted in one turn each have a lifetime, and an error in one leaves the others", async () => {
    const store = engine();
    await client().set(knownKeyOf("ivan"), "1", "EX", 60);
    const noted = await Promise.allSettled(["judy", "ivan", "mallory"].map((name) => store.noteNetwork(name, "n")));
    expect(noted.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    for (const name of ["judy", "mallory"]) expect(await client().pttl(knownKeyOf(name))).toBeGreaterThan(0);
    for (let index = 0; index < 400; index += 1) await store.noteNetwork("judy", `n${100 + index}`);
    // Less likely to be exceeded than once in 10^11 runs.
    expect(await client().zcard(knownKeyOf("judy"))).toBeLessThan(32 + 200);
    expect(await store.knowsNetwork("judy", "n499")).toBe(true);
  });

  test("counts again from zero if the key holds an invalid value", async () => {
    const keys = accountWideKeys(keyPrefix, "dave");
    await client().set(keys.failures, "1", "EX", 60);
    const count = await answered(engine().count(failureOf("dave", "d")));
    expect(count).toMatchObject({ failures: 1, isNew: true });
  });

  test("replaces only those keys of an account that have another type", async () => {
    const keys = accountWideKeys(keyPrefix, "frank");
    const store = engine();
    await store.noteNetwork("frank", "192.0.2.0/24");
    await client().set(keys.failures, "1", "EX", 60);
    expect(await answered(store.count(failureOf("frank", "d")))).toMatchObject({
      failures: 1,
    });
    expect(await store.knowsNetwork("frank", "192.0.2.0/24")).toBe(true);
    for (let index = 0; index < failures; index += 1) {
      await store.count(failureOf("frank", `d${index}`));
    }
    await client().set(keys.known, "1", "EX", 60);
    const counted = await answered(store.count(failureOf("frank", "d0", "192.0.2.0/24")));
    expect(counted).toMatchObject({ failures: failures + 1, isNew: false, knowsSource: false });
    expect(await client().exists(keys.known)).toBe(0);
  });

  test("a flush by account resets its count and keeps its known networks", async () => {
    const store = engine();
    for (let index = 0; index < failures; index += 1) {
      await store.count(failureOf("Erin", `d${index}`));
    }
    await store.noteNetwork("erin", "192.0.2.0/24");
    const state = createBruteForceRecords({ redis: client(), keyPrefix, rules: () => settings, clock: systemClock });
    const keys = accountWideKeys(keyPrefix, "erin");
    expect(await state.keysOfAccount("erin")).toEqual(expect.arrayContaining([keys.failures, keys.delayed]));
    expect(await state.flushAccount("ERIN")).toEqual([keys.failures, keys.delayed]);
    expect(await client().get(keys.delayed)).toBeNull();
    expect(await store.knowsNetwork("erin", "192.0.2.0/24")).toBe(true);
  });
});

test("delays grow with the failures up to their limit, and are 0 below the threshold", () => {
  const network = fc.option(fc.constant("192.0.2.0/24"), { nil: undefined });
  fc.assert(
    fc.property(fc.nat(100), network, (count, from) => {
      const source = { network: from, isTrusted: false };
      const ms = delayMs(count, source, delay);
      expect(ms).toBeLessThanOrEqual(from === undefined ? delay.maxDelayWithoutClientMs : delay.maxDelayMs);
      expect(delayMs(count + 1, source, delay)).toBeGreaterThanOrEqual(ms);
      expect(ms > 0).toBe(count >= failures);
    }),
  );
});
