import type { RedisClient } from "../../../platform/redis/client.ts";
import type { FlushedScope, RegionLog } from "../../regions/index.ts";
import type { Source } from "../source.ts";
import { CountMarks, type CountName, countText } from "./count-marks.ts";
import { createSharedBans, type TaggedScope } from "./shared-bans.ts";
import { createSharedCounts, keysOfAccountCount, keysOfNetworkCount } from "./shared-counts.ts";

/** This region, and where it tells the others what it does. */
export interface OwnRegion {
  readonly name: string;
  readonly log: Pick<RegionLog, "append">;
}

/** What one event holds at most, so that it is small with the longest names. */
const maxScopes = 8;
const maxBansOfScope = 16;

/** Flushes bans and counts of this region, and tells the others which of theirs are meant. A flush that was interrupted may be repeated. */
export function createRegionalFlush(redis: RedisClient, keyPrefix: string, { name, log }: OwnRegion) {
  const changeBan = createSharedBans(redis, keyPrefix, name);
  const counts = createSharedCounts(redis, name);
  const marks = new CountMarks(redis, keyPrefix);
  /** The next version of a count of this region, which follows everything that it counted before. */
  const versionOf = (count: CountName): Promise<string> => marks.mark([countText(count)]);
  const flushScope = async (
    scope: TaggedScope,
  ): Promise<{ readonly flushed: FlushedScope; readonly keys: string[] }> => {
    const { network, banKey } = scope;
    const rule = scope.rule.name;
    // The count before the ban: otherwise a failure in between would leave a count at its limit, which bans again.
    const { cuts, removed: keys } = await counts.cut(keysOfNetworkCount(keyPrefix, scope));
    const version = await versionOf({ network, rule });
    const { removed, isChanged } = await changeBan(scope, { removesAll: true });
    const bans = removed.slice(-maxBansOfScope);
    return {
      flushed: { network, rule, version, cuts: [...cuts], bans },
      keys: [...keys, ...(isChanged ? [banKey] : [])],
    };
  };
  return {
    /** @returns the keys that existed and were removed. @throws what Redis throws, or AppError REDIS_UNAVAILABLE */
    address: async (
      { address, tag }: Source,
      scopes: Source["scopes"],
      isWhole: boolean,
    ): Promise<readonly string[]> => {
      const all = await Promise.all(scopes.map((scope) => flushScope({ ...scope, tag })));
      const flushed = all.map((one) => one.flushed);
      for (let first = 0; first < flushed.length; first += maxScopes)
        await log.append({ kind: "rule-flush", address, isWhole, scopes: flushed.slice(first, first + maxScopes) });
      return all.flatMap(({ keys }) => keys);
    },
    /** @returns the keys that existed and were removed. @throws what Redis throws, or AppError REDIS_UNAVAILABLE */
    account: async (user: string): Promise<readonly string[]> => {
      const { cuts, removed } = await counts.cut(keysOfAccountCount(keyPrefix, user));
      const version = await versionOf({ account: user });
      await log.append({ kind: "guesses-flush", user, version, cuts: [...cuts] });
      return removed;
    },
  };
}

export type RegionalFlush = ReturnType<typeof createRegionalFlush>;
