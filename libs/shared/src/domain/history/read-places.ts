import { type DayCount, openedPart, type RecordedDecision } from "./decision-record.ts";
import { type HistoryPlace, historyLists, listKeyOf } from "./history-places.ts";
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

function storedIn(record: string, key: string, keys: HistoryStore["keys"]): readonly Stored[] {
  const [, identity = "", first, last, count, reference = "", sealed = ""] = form.exec(record) ?? [];
  const opened = openedPart(openRecord(keys, key, sealed));
  if (opened === undefined) return [];
  const [session = "", written] = reference.split(";");
  const times = { firstMs: Number(first) * 1000, timeMs: Number(last) * 1000, count: Number(count) };
  const days = readDays(written);
  return [{ identity, ...opened, ...times, session, ...(days && { days }) }];
}

const hourMs = 3_600_000;

/** Two engines may each have begun a record of the same run. */
export function joined(records: readonly Stored[]): readonly Stored[] {
  const places = new Map<string, number>();
  const runs: Stored[] = [];
  for (const one of records.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const place = places.get(one.identity) ?? runs.length;
    const known = runs[place];
    if (known !== undefined && one.firstMs - known.timeMs <= hourMs) {
      runs[place] = { ...one, firstMs: Math.min(known.firstMs, one.firstMs), count: known.count + one.count };
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

/** Reads the lists of histories. */
export function createPlaceReader({ redis, keyPrefix, keys, lifeMs, countsMs, nowMs }: HistoryReaderOptions) {
  return async (
    place: HistoryPlace,
    isMeant: (identity: string) => boolean = () => true,
  ): Promise<readonly Stored[]> => {
    const lists = historyLists.map((list) => listKeyOf(keyPrefix, place, list));
    const found = await Promise.all(lists.map((key) => redis.lrange(key, 0, -1)));
    const now = nowMs();
    return found
      .flatMap((records, index) =>
        records
          .filter((record) => isMeant(record.slice(0, record.indexOf(" "))))
          .flatMap((record) => storedIn(record, lists[index] ?? "", keys)),
      )
      .filter(({ timeMs, days }) => timeMs >= now - (days === undefined ? lifeMs : countsMs));
  };
}

export type ReadPlace = ReturnType<typeof createPlaceReader>;
