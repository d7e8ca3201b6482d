import { shadowBatchKey, shadowIndexKey, shadowRecordsKey, shadowTotalsKey } from "../../platform/redis/keys/counts.ts";
import { defineVariableScript } from "../../platform/redis/script.ts";
import { type HistoryStore, sealRecord } from "../history/store.ts";
import type { Difference } from "./differences.ts";
import { maxDifferences } from "./read-report.ts";
import addShadowBatchLua from "./scripts/add-shadow-batch.lua?raw";

/** Counts of domains and protocols, two each. */
const maxFields = 4000;

/** What an engine has found since its last batch. */
export interface ShadowBatch {
  /** Higher than those of the engine's batches before. */
  readonly number: number;
  /** Of its last comparison, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly counts: ReadonlyMap<string, number>;
  /** By place; undefined: the account no longer differs there. */
  readonly differences: ReadonlyMap<string, Difference | undefined>;
}

/**
 * Adds a batch to the report once, however often it is sent. Rejects when Redis does not answer.
 * @param engine unique to this process.
 */
export function createShadowWriter({ redis, keyPrefix, keys }: HistoryStore, engine: string) {
  const run = defineVariableScript(redis, { name: "addShadowBatch", lua: addShadowBatchLua }, 4);
  const recordsKey = shadowRecordsKey.build(keyPrefix);
  const redisKeys = [
    shadowTotalsKey.build(keyPrefix),
    shadowIndexKey.build(keyPrefix),
    recordsKey,
    shadowBatchKey.build(keyPrefix, engine),
  ];
  return async ({ number, timeMs, counts, differences }: ShadowBatch): Promise<void> => {
    const gone: string[] = [];
    const found: string[] = [];
    for (const [place, difference] of differences) {
      if (difference === undefined) gone.push(place);
      else found.push(place, sealRecord(keys, `${recordsKey} ${place}`, difference));
    }
    const limits = [shadowBatchKey.ttlSeconds, shadowTotalsKey.ttlSeconds, timeMs, maxDifferences, maxFields];
    const lists = [counts.size, ...[...counts].flat(), gone.length, ...gone, found.length / 2, ...found];
    await run(redisKeys, [number, ...limits, ...lists]);
  };
}

export type WriteShadowBatch = ReturnType<typeof createShadowWriter>;
