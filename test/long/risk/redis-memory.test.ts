import { expect, test } from "vitest";
import { measureFacts } from "./redis-memory.ts";

const accounts = 1_000_000;

test("facts about a million accounts take at most 1.5 GB of Redis", { timeout: 1_800_000 }, async () => {
  const { bytes, values } = await measureFacts(accounts);
  process.stdout.write(`${values} accounts take ${(bytes / 1e9).toFixed(2)} GB of Redis\n`);
  expect(values).toBe(accounts);
  expect(bytes).toBeLessThan(1.5e9);
});
