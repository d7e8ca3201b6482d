import type { RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createJoinedScripts } from "../../../services/auth-engine/src/brute-force/joined-scripts.ts";
import { connect } from "./counting.ts";

let server: RedisServer;
let redis: RedisClient;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await connect({ kind: "standalone", address: { host: "127.0.0.1", port: server.port } });
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

const first = {
  name: "testFirst",
  lua: 'redis.call("INCR", KEYS[1]) return { "first", KEYS[1], ARGV[1], #KEYS, #ARGV }',
};
const second = { name: "testSecond", lua: 'return { "second", KEYS[1], KEYS[2], ARGV[1], #ARGV }' };

async function calls(): Promise<number> {
  const info = await redis.info("commandstats");
  const found = [...info.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+),/gm)];
  return found.reduce((sum, [, count]) => sum + Number(count), 0);
}

test("two calls of one tick are one call of Redis, each with its own keys, arguments and reply", async () => {
  const [runFirst, runSecond] = createJoinedScripts(redis, first, second);
  const both = () => Promise.all([runFirst(["{a}1"], ["x"]), runSecond(["{b}1", "{b}2"], ["y", "z"])]);
  await both();
  const before = await calls();
  expect(await both()).toEqual([
    ["first", "{a}1", "x", 1, 1],
    ["second", "{b}1", "{b}2", "y", 2],
  ]);
  expect((await calls()) - before).toBe(1);
});

test("a call without the other is sent alone, and a second call of one script does not wait", async () => {
  const [runFirst, runSecond] = createJoinedScripts(redis, first, second);
  expect(await runSecond(["b", "c"], ["y"])).toEqual(["second", "b", "c", "y", 1]);
  const replies = await Promise.all([runFirst(["d"], ["1"]), runFirst(["e"], ["2"]), runSecond(["f", "g"], ["3"])]);
  expect(replies).toEqual([
    ["first", "d", "1", 1, 1],
    ["first", "e", "2", 1, 1],
    ["second", "f", "g", "3", 1],
  ]);
});

test("an error in one script leaves the other one its reply", async () => {
  const [runFirst, runSecond] = createJoinedScripts(redis, first, second);
  await redis.lpush("list", "not a number");
  const [one, other] = await Promise.allSettled([runFirst(["list"], ["x"]), runSecond(["b", "c"], ["y"])]);
  expect(one).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("WRONGTYPE") } });
  expect(other).toMatchObject({ status: "fulfilled", value: ["second", "b", "c", "y", 1] });
});
