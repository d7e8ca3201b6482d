import type { RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createJoinedScripts,
  defineScriptBefore,
} from "../../../services/auth-engine/src/brute-force/joined-scripts.ts";
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

test("a script before another one decides whether that one runs, and its error is thrown", async () => {
  const echo = {
    name: "testEcho",
    lua: 'if #KEYS == 1 then redis.call("INCR", KEYS[1]) end return { "first", ARGV[1] }',
  };
  const count = { name: "testCount", lua: 'return redis.call("INCR", KEYS[1])' };
  const run = defineScriptBefore(redis, { first: echo, second: count, unless: 'reply[2] == "stop"' });
  const other = { keys: ["{after}1"], args: [] };
  expect(await run({ keys: [], args: ["go"] }, other)).toEqual([["first", "go"], 1]);
  expect(await run({ keys: [], args: ["stop"] }, other)).toEqual([["first", "stop"]]);
  await redis.lpush("{before}list", "not a number");
  await expect(run({ keys: ["{before}list"], args: ["go"] }, other)).rejects.toThrow(/WRONGTYPE/u);
  expect(await redis.get("{after}1")).toBe("1");
});
