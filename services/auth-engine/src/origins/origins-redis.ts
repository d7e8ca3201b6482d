import { maxOrigins, originKinds, originLifeSeconds, originRanges } from "@postern/shared/domain/origins";
import { defineVariableScript, originBatchKey, originKey, type RedisClient } from "@postern/shared/platform/redis";
import type { SendBatch } from "../rollups/batch-writer.ts";
import type { OriginPeriod } from "./origins.ts";
import addOriginsLua from "./scripts/add-origins.lua?raw";

/** @param engine unique to this process. */
export function createOriginStore(redis: RedisClient, keyPrefix: string, engine: string): SendBatch<OriginPeriod> {
  const run = defineVariableScript(redis, { name: "addOrigins", lua: addOriginsLua }, 1);
  const batchKey = originBatchKey.build(keyPrefix, engine);
  const argumentsOf = ({ range, number, tallies }: OriginPeriod): readonly (string | number)[] =>
    originKinds.flatMap((kind) => {
      const key = originKey.build(keyPrefix, originRanges[range].series, String(number), kind);
      const entries = [...tallies[kind]].flatMap(([origin, { ok, refused, name }]) => [origin, ok, refused, name]);
      return [key, originLifeSeconds(range), maxOrigins[kind], entries.length / 4, ...entries];
    });
  return async (batch, periods) => {
    await run([batchKey], [batch, originBatchKey.ttlSeconds, ...periods.flatMap(argumentsOf)]);
  };
}
