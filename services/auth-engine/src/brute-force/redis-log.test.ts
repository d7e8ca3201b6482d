import { expect, test } from "vitest";
import { createRedisLog } from "./redis-log.ts";

test.each([
  ["degrade", "Redis is unavailable: this engine counts failures in memory"],
  ["tempfail", "Redis is unavailable: sign-ins are temporary failures until it is available again"],
] as const)("with without_redis.mode %s, the log line reports what happens to sign-ins", (mode, text) => {
  const lines: unknown[][] = [];
  const record = (...line: unknown[]): void => void lines.push(line);
  const err = new Error("connection lost");
  createRedisLog({ error: record, info: record }, mode).unavailable(err);
  expect(lines).toEqual([[{ err, mode }, text]]);
});
