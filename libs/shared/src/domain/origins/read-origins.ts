import type { RedisClient } from "../../platform/redis/client.ts";
import { originKey } from "../../platform/redis/keys/counts.ts";
import { type OriginRange, originRanges } from "./periods.ts";
import { addTally, type OriginKind, readTally, type Tallies } from "./tallies.ts";

export function createOriginReader(redis: RedisClient, keyPrefix: string) {
  const sumOf = async (range: OriginRange, kind: OriginKind, first: number): Promise<Tallies> => {
    const { series, periods } = originRanges[range];
    const numbers = Array.from({ length: periods }, (_, index) => String(first + index));
    const hashes = await Promise.all(
      numbers.map((number) => redis.hgetall(originKey.build(keyPrefix, series, number, kind))),
    );
    const sum: Tallies = new Map();
    for (const hash of hashes) {
      for (const [origin, text] of Object.entries(hash)) {
        const tally = readTally(text);
        if (tally !== undefined) addTally(sum, origin, tally);
      }
    }
    return sum;
  };
  /** Sums of a range, with the begin of its first period. */
  return async (range: OriginRange, nowMs: number) => {
    const { stepMs, periods } = originRanges[range];
    const first = Math.floor(nowMs / stepMs) - periods + 1;
    const [countries, systems] = await Promise.all([sumOf(range, "countries", first), sumOf(range, "systems", first)]);
    return { sinceMs: first * stepMs, countries, systems };
  };
}

export type ReadOrigins = ReturnType<typeof createOriginReader>;
