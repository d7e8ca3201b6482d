import { expect, it } from "vitest";
import { commandsPerRequest, parseCommandStats } from "./redis-commands.ts";

const before =
  "# Commandstats\r\ncmdstat_evalsha:calls=10,usec=1,usec_per_call=1.00,rejected_calls=0,failed_calls=0\r\n";
const after = `${before.replace("=10,", "=30,")}cmdstat_config|get:calls=1,usec=1\r\ncmdstat_hset:calls=5,usec=4,usec_per_call=1.0\r\n`;

it("counts the calls of each command between two readings, per request", () => {
  const counts = commandsPerRequest(parseCommandStats(before), parseCommandStats(after), 10);
  expect(counts).toEqual({ evalsha: 2, hset: 0.5, "config|get": 0.1 });
});

it("leaves out what belongs to few requests", () => {
  expect(commandsPerRequest({}, { info: 1 }, 1000)).toEqual({});
});
