import { lifeSecondsOf, rollupFields, rollupSeries, rollupSeriesNames } from "@postern/shared/domain/rollups";
import {
  defineVariableScript,
  type RedisClient,
  rollupBatchKey,
  rollupKey,
  together,
} from "@postern/shared/platform/redis";
import type { RollupPeriod } from "./rollups.ts";
import addRollupsLua from "./scripts/add-rollups.lua?raw";

/** @param engine unique to this process. */
export function createRollupStore(redis: RedisClient, keyPrefix: string, engine: string) {
  const run = defineVariableScript(redis, { name: "addRollups", lua: addRollupsLua }, 1);
  const batchKey = rollupBatchKey.build(keyPrefix, engine);
  const argumentsOf = ({ series, number, counts }: RollupPeriod): readonly (string | number)[] => {
    const fields = rollupFields.flatMap((field, index) => {
      const count = counts[index] ?? 0;
      return count > 0 ? [field, count] : [];
    });
    const key = rollupKey.build(keyPrefix, series, String(number));
    return [key, lifeSecondsOf(rollupSeries[series]), fields.length / 2, ...fields];
  };
  return {
    /** Adds a batch once, however often it is sent. A batch has a higher number than those before it. */
    add: async (batch: number, periods: readonly RollupPeriod[]): Promise<void> => {
      await run([batchKey], [batch, rollupBatchKey.ttlSeconds, ...periods.flatMap(argumentsOf)]);
    },
    /** Sets the number of bans in force in the periods of this time. */
    setBans: async (bans: number, nowMs: number): Promise<void> => {
      const commands = redis.multi();
      for (const series of rollupSeriesNames) {
        const { stepMs } = rollupSeries[series];
        const key = rollupKey.build(keyPrefix, series, String(Math.floor(nowMs / stepMs)));
        commands.hset(key, "bans", bans).expire(key, lifeSecondsOf(rollupSeries[series]));
      }
      await together(commands);
    },
  };
}
