import { type RedisServer, spawnRedis } from "@postern/testing";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defineScript, defineVariableScript, readFields } from "./script.ts";

let server: RedisServer;
let redis: Redis;
beforeEach(async () => {
  server = await spawnRedis();
  redis = new Redis(server.port);
});
afterEach(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

const lua = "return { KEYS[1], KEYS[2] or false, ARGV[1], ARGV[2] }";
const header = "-- KEYS[1] first\n-- KEYS[2] second\n-- ARGV[1] max_size: in bytes\n-- ARGV[2] text\n";

test("keys and arguments are sent in the order of the script, whatever their order in the call", async () => {
  const script = { name: "echo", keys: ["first", "second"], args: ["maxSize", "text"], lua: header + lua } as const;
  const run = defineScript(redis, script);
  expect(await run({ second: "b", first: "a" }, { text: "t", maxSize: 1 })).toEqual(["a", "b", "1", "t"]);
});

test.each([
  { keys: ["second", "first"], args: ["maxSize", "text"] },
  { keys: ["first", "second"], args: ["maxSize"] },
])("names that the header does not have in this order are refused: %j", (names) => {
  expect(() => defineScript(redis, { name: "echo", lua: header + lua, ...names })).toThrow("echo: ");
});

test("a script whose number of keys varies takes another number in each call", async () => {
  const run = defineVariableScript(redis, { name: "echo", lua });
  expect(await run(["a"], [1, 2])).toEqual(["a", null, "1", "2"]);
  expect(await run(["a", "b"], [1, 2])).toEqual(["a", "b", "1", "2"]);
});

test("a script cannot replace a command of Redis that has its name", async () => {
  const run = defineVariableScript(redis, { name: "get", lua: "return 'script'" }, 1);
  expect(await run(["a"], [])).toBe("script");
  expect(await redis.get("a")).toBeNull();
});

test("named fields are read from a flat reply", () => {
  expect(readFields(["granted", 1, "ban", null])).toEqual({ granted: 1, ban: null });
});

test.each([[null], ["text"], [["granted"]], [[1, "granted"]]])("the reply %j has no named fields", (reply) => {
  expect(() => readFields(reply)).toThrow(TypeError);
});
