import { createHotCache } from "../../platform/cache/hot-cache.ts";
import { chunksOf, defineVariableScript, textsIn } from "../../platform/redis/script.ts";
import { type DayCount, openedPart, type RecordedDecision } from "./decision-record.ts";
import { type HistoryPlace, historyLists, indexKeyOf, listKeyOf } from "./history-places.ts";
import readHistoriesLua from "./scripts/read-histories.lua?raw";
import { type HistoryStore, openRecord } from "./store.ts";

export type HistoryReaderOptions = HistoryStore & {
  /** Lifetime of what is recorded individually. */
  readonly lifeMs: number;
  /** Time for which ordinary successes are counted. */
  readonly countsMs: number;
  readonly nowMs: () => number;
};

export interface Stored extends RecordedDecision {
  readonly identity: string;
}

const form = /^(\S+) (\d+) (\d+) (\d+) (\S+) (\S+)$/u;

/** `<day>:<counts>`, the latest day first; undefined for anything else. */
function readDays(written: string | undefined): readonly DayCount[] | undefined {
  const [, latest, counts = ""] = /^(\d+):([\d,]+)$/u.exec(written ?? "") ?? [];
  if (latest === undefined) return undefined;
  return counts
    .split(",")
    .map((count, index) => ({ day: Number(latest) - index, count: Number(count) }))
    .filter(({ count }) => count > 0);
}

/** Two operations of one page read the same records, and those of one address may be several hundred. */
const mostOpened = 2048;

/** Opens the sealed part of a record in a list. */
function createOpen(keys: HistoryStore["keys"]) {
  const known = createHotCache<NonNullable<ReturnType<typeof openedPart>>>(mostOpened);
  return (key: string, sealed: string) => {
    const name = `${key} ${sealed}`;
    const opened = known.get(name) ?? openedPart(openRecord(keys, key, sealed));
    if (opened !== undefined) known.set(name, opened);
    return opened;
  };
}

function storedIn(record: string, key: string, open: ReturnType<typeof createOpen>): readonly Stored[] {
  const [, identity = "", first, last, count, reference = "", sealed = ""] = form.exec(record) ?? [];
  const opened = open(key, sealed);
  if (opened === undefined) return [];
  const [session = "", written] = reference.split(";");
  const times = { firstMs: Number(first) * 1000, timeMs: Number(last) * 1000, count: Number(count) };
  const days = readDays(written);
  return [{ identity, ...opened, ...times, session, ...(days && { days }) }];
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The latest day first. */
function joinedDays(...records: readonly Stored[]): readonly DayCount[] | undefined {
  if (records.every(({ days }) => days === undefined)) return undefined;
  const counts = new Map<number, number>();
  const all = records.flatMap(({ days, timeMs, count }) => days ?? [{ day: Math.floor(timeMs / dayMs), count }]);
  for (const { day, count } of all) counts.set(day, (counts.get(day) ?? 0) + count);
  return [...counts].map(([day, count]) => ({ day, count })).toSorted((a, b) => b.day - a.day);
}

/** Two engines may each have begun a record of the same run. */
export function joined(records: readonly Stored[]): readonly Stored[] {
  const places = new Map<string, number>();
  const runs: Stored[] = [];
  for (const one of records.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const place = places.get(one.identity) ?? runs.length;
    const known = runs[place];
    if (known !== undefined && one.firstMs - known.timeMs <= hourMs) {
      const days = joinedDays(known, one);
      const firstMs = Math.min(known.firstMs, one.firstMs);
      runs[place] = { ...one, firstMs, count: known.count + one.count, ...(days && { days }) };
    } else {
      places.set(one.identity, runs.length);
      runs.push(one);
    }
  }
  return runs.toSorted((a, b) => b.timeMs - a.timeMs);
}

/** Identities of earlier versions have this length. */
const earlierIdentity = 11;

/** Earlier versions wrote a record to several histories. */
export function unique(records: readonly Stored[]): readonly Stored[] {
  const seen = new Set<string>();
  return records.filter(({ identity, firstMs }) => {
    if (identity.length > earlierIdentity) return true;
    const key = `${identity} ${firstMs}`;
    return !seen.has(key) && seen.add(key);
  });
}

const placesAtATime = 40;

/** Reads histories, with few commands for those of a shard. */
export function createPlacesReader({ redis, keyPrefix, keys, lifeMs, countsMs, nowMs }: HistoryReaderOptions) {
  const open = createOpen(keys);
  const run = defineVariableScript(redis, { name: "readHistories", lua: readHistoriesLua }, 1);
  const readShard = async (places: readonly HistoryPlace[], beginning: string): Promise<readonly Stored[]> => {
    const [first] = places;
    if (first === undefined) return [];
    const lists = places.flatMap((place) => historyLists.map((list) => listKeyOf(keyPrefix, place, list)));
    const found = await run([indexKeyOf(keyPrefix, first)], [beginning, ...lists]);
    if (!Array.isArray(found)) throw new TypeError("the script did not return lists");
    return found.flatMap((records, index) =>
      textsIn(records).flatMap((record) => storedIn(record, lists[index] ?? "", open)),
    );
  };
  /** @param beginning of the identities of the records that are meant */
  return async (places: readonly HistoryPlace[], beginning = ""): Promise<readonly Stored[]> => {
    const shards = Map.groupBy(places, ({ kind, shard }) => `${kind} ${shard}`);
    const parts = [...shards.values()].flatMap((ofShard) => chunksOf(ofShard, placesAtATime));
    const found = await Promise.all(parts.map((part) => readShard(part, beginning)));
    const now = nowMs();
    return found.flat().filter(({ timeMs, days }) => timeMs >= now - (days === undefined ? lifeMs : countsMs));
  };
}

export type ReadPlaces = ReturnType<typeof createPlacesReader>;
