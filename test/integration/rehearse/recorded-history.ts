import { historyWriterFromConfig } from "@postern/shared/assembly";
import type { DecisionBatch } from "@postern/shared/domain/history";
import { loadConfig, processSources } from "@postern/shared/platform/config";
import { expect } from "vitest";
import { testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";

export type RecordedRun = DecisionBatch["runs"][number];

/** In one call of Redis. */
const perBatch = 500;

/** Records sign-ins as two engines do. */
export async function recordRuns(stack: Stack, runs: readonly RecordedRun[]): Promise<void> {
  const loaded = loadConfig({ ...processSources(), file: stack.configFile });
  if (!loaded.ok || stack.redis === undefined) throw new Error("the stack has no configuration");
  const redis = await testRedis(stack.redis.port);
  const writers = ["one", "two"].map((name) => historyWriterFromConfig(loaded.config, redis, name));
  for (let start = 0; start < runs.length; start += perBatch) {
    const write = writers[(start / perBatch) % writers.length];
    const batch = { runs: runs.slice(start, start + perBatch), referred: [], traffic: [], failingNetworks: [] };
    expect(await write?.(batch, Date.now())).toBe(0);
  }
  redis.disconnect();
}
