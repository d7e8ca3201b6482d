import type { RedisClient } from "../../../platform/redis/client.ts";
import { accountElsewhereKey, networkElsewhereKey } from "../../../platform/redis/keys/brute-force.ts";
import { defineVariableScript, readFields } from "../../../platform/redis/script.ts";
import type { CountCut } from "../../regions/index.ts";
import { accountWideKeys } from "../source.ts";
import cutCountsLua from "./scripts/cut-counts.lua?raw";
import mergeCountLua from "./scripts/merge-count.lua?raw";
import type { TaggedScope } from "./shared-bans.ts";

const mergeCount = { name: "mergeCount", lua: mergeCountLua };
const cutCounts = { name: "cutCounts", lua: cutCountsLua };

/** Wrong passwords of an account that count. */
const maxFailures = 64;

/** A count as its region has read it. */
export interface ReadCount {
  readonly region: string;
  readonly version: string;
  /** Time of that region's Redis when it was read. */
  readonly sentMs: number;
  /** Whole numbers. Of a network: window, known and unknown accounts in it and in the one before; of an account: failures and their end. */
  readonly figures: readonly number[];
}

interface CountKeys {
  readonly elsewhere: string;
  /** What is counted here, which a flush removes. */
  readonly own: readonly string[];
  readonly lifeMs: number;
}

export function keysOfAccountCount(keyPrefix: string, account: string): CountKeys {
  const { failures, delayed, user } = accountWideKeys(keyPrefix, account);
  const elsewhere = accountElsewhereKey.build(keyPrefix, user);
  return { elsewhere, own: [failures, delayed], lifeMs: accountElsewhereKey.ttlSeconds * 1000 };
}

export function keysOfNetworkCount(keyPrefix: string, { tag, rule, network, countKey }: TaggedScope): CountKeys {
  const elsewhere = networkElsewhereKey.build(keyPrefix, tag, rule.name, network);
  return { elsewhere, own: [countKey], lifeMs: 2 * rule.periodMs };
}

function listIn<Item>(text: unknown, isItem: (value: unknown) => value is Item): readonly Item[] {
  const value: unknown = JSON.parse(String(text));
  return Array.isArray(value) ? value.filter(isItem) : [];
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCut = (value: unknown): value is CountCut => typeof value === "object" && value !== null && "version" in value;

const argsOf = ({ region, version, sentMs, figures }: ReadCount) => [region, version, sentMs, figures.join(" ")];

/**
 * What other regions have counted. All keys of a call have one hash tag.
 * @param region the name of this one
 */
export function createSharedCounts(redis: RedisClient, region: string) {
  const merge = (keys: number) => defineVariableScript(redis, mergeCount, keys);
  const [mergeNetwork, mergeAccount] = [merge(1), merge(3)];
  const cutters = [1, 2].map((own) => defineVariableScript(redis, cutCounts, own + 1));
  return {
    mergeNetwork: async ({ elsewhere, lifeMs }: CountKeys, count: ReadCount): Promise<boolean> =>
      (await mergeNetwork([elsewhere], [...argsOf(count), lifeMs, 0, 0])) === 1,
    /** @param slowedFrom failures of all regions from which the account is delayed */
    mergeAccount: async ({ elsewhere, own, lifeMs }: CountKeys, count: ReadCount, slowedFrom: number) =>
      (await mergeAccount([elsewhere, ...own], [...argsOf(count), lifeMs, slowedFrom, maxFailures])) === 1,
    /** Flushes a count. `foreign`: the flush of another region; absent for one by this region. `isNew`: false if that flush was applied before. */
    cut: async ({ elsewhere, own, lifeMs }: CountKeys, foreign?: CountCut & { readonly cuts: readonly CountCut[] }) => {
      const run = cutters[own.length - 1];
      if (run === undefined) throw new RangeError("no script for so many keys");
      const flush = JSON.stringify({ ...foreign, own: region, lifeMs });
      const { isNew, cuts, removed } = readFields(await run([elsewhere, ...own], [flush]));
      return { isNew: isNew === 1, cuts: listIn(cuts, isCut), removed: listIn(removed, isText) };
    },
  };
}

export type SharedCounts = ReturnType<typeof createSharedCounts>;
