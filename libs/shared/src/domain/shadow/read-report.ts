import { Value } from "typebox/value";
import { shadowIndexKey, shadowRecordsKey, shadowTotalsKey } from "../../platform/redis/keys/counts.ts";
import { pairsIn } from "../../platform/redis/pairs.ts";
import { type HistoryStore, openRecord } from "../history/store.ts";
import { Difference, type DifferenceKind, differenceKinds, omissions, readPlace, totalFields } from "./differences.ts";

/** As many differences as Redis keeps. */
export const maxDifferences = 10_000;

export interface DifferenceQuery {
  readonly kind?: DifferenceKind | undefined;
  /** Size of the page. */
  readonly size: number;
  /** From the previous page. */
  readonly cursor?: string | undefined;
}

/** The newest first. */
function placesOf(reply: readonly string[]) {
  return pairsIn(reply).flatMap(([text, time]) => {
    const place = readPlace(text);
    return place === undefined ? [] : [{ ...place, text, timeMs: Number(time) }];
  });
}

type Placed = ReturnType<typeof placesOf>[number];

/** Counts by name, from fields such as `domain:example.org:compared`; the largest first. */
function countsOf(totals: Readonly<Record<string, string>>, what: "domain" | "protocol") {
  const [begin, end] = [`${what}:`, `:compared`];
  const names = Object.keys(totals)
    .filter((field) => field.startsWith(begin) && field.endsWith(end))
    .map((field) => field.slice(begin.length, -end.length));
  return names
    .map((name) => ({
      name,
      compared: Number(totals[`${what}:${name}:compared`]),
      different: Number(totals[`${what}:${name}:different`] ?? 0),
    }))
    .toSorted((a, b) => b.different - a.different || b.compared - a.compared || (a.name < b.name ? -1 : 1));
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

function totalsOf(totals: Readonly<Record<string, string>>, places: readonly Placed[]) {
  const count = (field: string): number => Number(totals[field] ?? 0);
  const accountsOf = (of: readonly Placed[]): number => new Set(of.map(({ digest }) => digest)).size;
  return {
    sinceMs: timeOf(totals[totalFields.since]),
    lastMs: timeOf(totals[totalFields.last]),
    compared: count(totalFields.compared),
    different: count(totalFields.different),
    omitted: omissions.map((reason) => ({ reason, requests: count(reason) })),
    /** `accounts`: those that differed when they were last compared. */
    kinds: differenceKinds.map((kind) => ({
      kind,
      requests: count(totalFields.kind(kind)),
      accounts: accountsOf(places.filter((place) => place.kind === kind)),
    })),
    accounts: accountsOf(places),
    protocols: countsOf(totals, "protocol"),
    domains: countsOf(totals, "domain"),
  };
}

/** Reads and deletes the report to which all engines add. Both methods reject when Redis does not answer. */
export function createShadowReport({ redis, keyPrefix, keys }: HistoryStore) {
  const totalsKey = shadowTotalsKey.build(keyPrefix);
  const indexKey = shadowIndexKey.build(keyPrefix);
  const recordsKey = shadowRecordsKey.build(keyPrefix);
  const opened = async (places: readonly Placed[]) => {
    if (places.length === 0) return [];
    const sealed = await redis.hmget(recordsKey, ...places.map(({ text }) => text));
    return places.flatMap(({ text, timeMs, kind }, index) => {
      const record = openRecord(keys, `${recordsKey} ${text}`, sealed[index] ?? "");
      return Value.Check(Difference, record) ? [{ ...record, timeMs, kind }] : [];
    });
  };
  return {
    read: async ({ kind, size, cursor }: DifferenceQuery) => {
      const [totals, index] = await Promise.all([
        redis.hgetall(totalsKey),
        redis.zrevrange(indexKey, 0, maxDifferences - 1, "WITHSCORES"),
      ]);
      const places = placesOf(index);
      const matching = places.filter((place) => kind === undefined || place.kind === kind);
      const isAfter = ({ timeMs, text }: Placed): boolean => {
        const [, ms = "", place = ""] = /^(\d+) (.*)$/u.exec(cursor ?? "") ?? [];
        return timeMs < Number(ms) || (timeMs === Number(ms) && text < place);
      };
      const rest = cursor === undefined ? matching : matching.filter(isAfter);
      const page = rest.slice(0, size);
      const last = page.at(-1);
      return {
        ...totalsOf(totals, places),
        differences: await opened(page),
        next: last === undefined || rest.length <= size ? undefined : `${last.timeMs} ${last.text}`,
      };
    },
    reset: async (): Promise<void> => {
      await redis.del(totalsKey, indexKey, recordsKey);
    },
  };
}

export type ShadowReports = ReturnType<typeof createShadowReport>;
