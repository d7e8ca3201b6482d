import type { RedisClient } from "@postern/shared/platform/redis";
import { spawnRedis } from "@postern/testing";
import fc from "fast-check";
import { expect } from "vitest";
import { createRedisStore } from "../../../services/auth-engine/src/brute-force/brute-force-redis.ts";
import type { CountedAttempt } from "../../../services/auth-engine/src/brute-force/shared-store.ts";
import { createTargets } from "../../../services/auth-engine/src/brute-force/targets.ts";
import { Counters } from "../../../services/auth-engine/src/rehearsal/counters.ts";
import { SignIns } from "../../../services/auth-engine/src/rehearsal/signed-in.ts";
import { answered, connect, readSettings, unguarded } from "../brute-force/counting.ts";

const keyPrefix = "test:";
const second = 1000;
const settings = readSettings({
  buckets: [
    { name: "host", period: "10m", ban_time: "20m", cidr: 32, failed_requests: 4, ipv4: true },
    { name: "net", period: "1h", ban_time: "2h", cidr: 24, failed_requests: 7, ipv4: true },
    {
      name: "pop",
      period: "3h",
      ban_time: "10m",
      cidr: 16,
      failed_requests: 6,
      ipv4: true,
      filter_by_protocol: ["pop3"],
    },
  ],
  tolerate_ttl: "4h",
});
const parts = { ...settings, keyPrefix };
const clock = { at: 0, now: (): number => clock.at };
const targetOf = createTargets(settings, parts);

/**
 * Comes before every script: it replaces the time of Redis and the ends of keys by those of the test's clock, which is in a key. The script
 * itself is that of the product.
 */
const prelude = `
local real, own = redis.call, redis
local now_ms = tonumber(real("GET", "sim:now"))
local function expire(key)
  local ends = real("HGET", "sim:ends", key)
  if ends and tonumber(ends) <= now_ms then real("DEL", key) real("HDEL", "sim:ends", key) end
end
for _, key in ipairs(KEYS) do expire(key) end
local function simulated(name, key, ...)
  if name == "TIME" then return { tostring(math.floor(now_ms / 1000)), tostring((now_ms % 1000) * 1000) } end
  if name == "PEXPIRE" then
    if real("EXISTS", key) == 1 then real("HSET", "sim:ends", key, string.format("%.0f", now_ms + tonumber((...)))) end
    return 1
  end
  if name == "SET" then
    local words, kept, life = { ... }, {}, nil
    local at = 1
    while at <= #words do
      if words[at] == "PX" then life = words[at + 1] at = at + 2 else kept[#kept + 1] = words[at] at = at + 1 end
    end
    local reply = real("SET", key, unpack(kept))
    if reply and life then real("HSET", "sim:ends", key, string.format("%.0f", now_ms + tonumber(life))) end
    return reply
  end
  local reply = real(name, key, ...)
  if name == "DEL" then real("HDEL", "sim:ends", key, ...) end
  return reply
end
local redis = { call = simulated, error_reply = own.error_reply }
`;

const endAll = `${prelude}
for _, key in ipairs(real("HKEYS", "sim:ends")) do expire(key) end
return 1`;

/** The client of a Redis that lives at the time of the test's clock. */
function simulated(redis: RedisClient): RedisClient {
  const defineCommand: RedisClient["defineCommand"] = (name, definition) =>
    redis.defineCommand(name, { ...definition, lua: `${prelude}\n${definition.lua}` });
  const mget = async (keys: string[]): Promise<(string | null)[]> => {
    await redis.eval(endAll, 0);
    return redis.mget(keys);
  };
  return new Proxy(redis, {
    get: (target, name): unknown => {
      if (name === "defineCommand") return defineCommand;
      if (name === "mget") return mget;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const step = fc.record({
  afterMs: fc.oneof(
    { weight: 30, arbitrary: fc.nat(20 * second) },
    { weight: 8, arbitrary: fc.nat(700 * second) },
    { weight: 1, arbitrary: fc.nat(5 * 3600 * second) },
  ),
  does: fc.constantFrom("fail", "fail", "fail", "fail", "succeed", "check"),
  account: fc.constantFrom("alice", "bob", "carol"),
  address: fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.7.1"),
  protocol: fc.constantFrom("imap", "imap", "pop3"),
  password: fc.nat(9),
  known: fc.constantFrom(true, true, true, false),
  percent: fc.constantFrom(0, 50, 100),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function targetAt({ account, address, protocol }: Step): CountedAttempt {
  const { target } = targetOf({
    session: "s",
    operation: "authenticate",
    dialect: "json",
    username: account,
    password: undefined,
    protocol,
    clientIp: address,
    tls: true,
    memoryCache: true,
    sharedCache: true,
  });
  if (target === undefined) throw new Error("no rule applies");
  return target;
}

/** The counters of a rehearsal decide as the scripts in Redis do, in sequences of random sign-ins. Resolves to how often the rarest decision occurred. */
export async function compareCounters(numRuns: number): Promise<number> {
  await using server = await spawnRedis();
  const redis = await connect({ kind: "standalone", address: { host: "127.0.0.1", port: server.port } });
  const { repeatWindowMs, maxForgiven, tolerateMs } = settings;
  const atTestTime = simulated(redis);
  const seen = { bans: 0, repeated: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000_000), fc.array(step, { minLength: 20, maxLength: 60 }), async (startMs, steps) => {
      await redis.flushall();
      clock.at = Date.UTC(2026, 0, 1) + startMs;
      // It keeps keys of the current window, so a new one is needed where the clock goes back.
      const inRedis = createRedisStore({
        redis: atTestTime,
        parts,
        clock,
        guard: unguarded,
        repeatWindowMs,
        maxForgiven,
      });
      const inMemory = new Counters({ clock, repeatWindowMs, maxForgiven, signIns: new SignIns(clock, tolerateMs) });
      for (const one of steps) {
        clock.at += one.afterMs;
        await redis.set("sim:now", clock.at);
        const target = targetAt(one);
        const toleration = { minPercent: one.percent, maxPercent: one.percent, scale: 1 };
        if (one.does === "check") {
          const { ban, pending } = await answered(inRedis.check(target));
          expect(await inMemory.check(target)).toMatchObject({ ban, pending });
        } else if (one.does === "succeed") {
          const {
            ban,
            isNoted: _isNoted,
            ...expected
          } = await answered(inRedis.succeed(target, one.account, toleration));
          expect(await inMemory.succeed(target, one.account, toleration)).toEqual({ ban, ...expected });
          if (ban !== undefined) seen.refused += 1;
        } else {
          const guess = { digest: `digest ${one.password}`, known: one.known, toleration };
          const { totalPasswordsSeen: _total, ...expected } = await answered(inRedis.count(target, guess));
          expect(await inMemory.count(target, guess)).toMatchObject(expected);
          if (expected.isNew) seen.bans += 1;
          if (expected.repeated) seen.repeated += 1;
        }
      }
    }),
    { numRuns },
  );
  redis.disconnect();
  return Math.min(seen.bans, seen.repeated, seen.refused);
}
