import { systemClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { createRedisLog } from "./redis-guard.ts";

test.each([
  ["degrade", "Redis is unavailable: this engine counts failures in memory"],
  ["tempfail", "Redis is unavailable: sign-ins are temporary failures until it is available again"],
] as const)("with without_redis.mode %s, the log line reports what happens to sign-ins", (mode, text) => {
  const lines: unknown[][] = [];
  const record = (...line: unknown[]): void => void lines.push(line);
  const err = new Error("connection lost");
  createRedisLog({ error: record, info: record }, mode, systemClock).unavailable(err);
  expect(lines).toEqual([[{ err, mode }, text]]);
});

test("keys of another type are reported once a minute", () => {
  let nowMs = 1_000_000;
  const lines: unknown[][] = [];
  const record = (...line: unknown[]): void => void lines.push(line);
  const log = createRedisLog({ error: record, info: record }, "degrade", { now: () => nowMs });
  const err = new Error("WRONGTYPE Operation against a key holding the wrong kind of value");
  for (const afterMs of [0, 1, 59_998, 1]) {
    nowMs += afterMs;
    log.wrongType(err);
  }
  const line = [{ err }, "a key in Redis has an unexpected type and cannot be read"];
  expect(lines).toEqual([line, line]);
});
