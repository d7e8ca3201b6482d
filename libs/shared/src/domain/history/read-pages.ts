import { historyIndexKey } from "../../platform/redis/keys/history.ts";
import { pairsIn } from "../../platform/redis/pairs.ts";
import { allShards, type HistoryPlace, placeWith } from "./history-places.ts";
import { joined, type ReadPlaces, type Stored, unique } from "./read-places.ts";
import { type HistoryStore, secondsOf } from "./store.ts";

/** Of a page, about: each is decrypted and written while other requests wait. */
const mostRecords = 2000;
const mostHistories = 64;
/** A page ends after so many answers of Redis, even if nothing in them is recent. */
const mostScans = 32;
/** Characters of a digest in a cursor. */
const shownDigest = 6;

/** A page is full with so many histories. An answer of Redis about a large index may have some more. */
const historiesOfPage = (recordsOfOne: number): number =>
  Math.max(1, Math.min(mostHistories, Math.floor(mostRecords / recordsOfOne)));

interface Position {
  /** In `allShards`. */
  readonly at: number;
  /** Of `ZSCAN`. */
  readonly scan: string;
  /** Digests up to this beginning were on pages before, of an answer that had too many for one. */
  readonly after: string;
}

const start: Position = { at: 0, scan: "0", after: "" };

const writtenCursor = ({ at, scan, after }: Position): string => [at, scan, ...(after === "" ? [] : [after])].join(":");

/** @throws RangeError */
function positionIn(cursor: string): Position {
  const [, shard, scan, after = ""] = /^(\d{1,3}):(\d{1,20})(?::([\w-]{6}))?$/u.exec(cursor) ?? [];
  if (scan === undefined || Number(shard) >= allShards.length) throw new RangeError("invalid cursor");
  return { at: Number(shard), scan, after };
}

const beginningOf = ({ digest }: HistoryPlace): string => digest.slice(0, shownDigest);

/** The beginning of the digest with which a page is full; undefined if there is room for all. */
function lastOf(places: readonly HistoryPlace[], room: number): string | undefined {
  const beginnings = places.map(beginningOf).toSorted();
  return beginnings.length > room ? beginnings[room - 1] : undefined;
}

export type HistoryPagesOptions = Pick<HistoryStore, "redis" | "keyPrefix"> & {
  /** The largest number of records in a history. */
  readonly recordsOfOne: number;
};

/** Earlier versions also wrote what is an account's to its network. */
const isOwn = ({ kind }: HistoryPlace, { account }: Stored): boolean => kind !== "network" || account === undefined;

/**
 * Reads the whole history, some histories at a time. One that is there from the first to the last page is in at least one of them, and may be in
 * two. Rejects without Redis, with a RangeError for a cursor that is none.
 */
export function createHistoryPages({ redis, keyPrefix, recordsOfOne }: HistoryPagesOptions, readPlaces: ReadPlaces) {
  const size = historiesOfPage(recordsOfOne);
  const scanned = async ({ at, scan, after }: Position, sinceMs: number, room: number) => {
    const { kind, shard } = allShards[at] ?? { kind: "account", shard: "A" };
    const key = historyIndexKey.build(keyPrefix, kind, shard);
    const [following, found] = await redis.zscan(key, scan, "COUNT", size);
    const recent = pairsIn(found).filter(([, lastSeconds]) => Number(lastSeconds) >= secondsOf(sinceMs));
    const places = recent.map(([digest]) => placeWith(kind, digest));
    const left = after === "" ? places : places.filter((place) => beginningOf(place) > after);
    // Redis answers at once about a small index. The answer about a larger one is as long as it was asked to be.
    const last = scan === "0" && following === "0" ? lastOf(left, room) : undefined;
    if (last !== undefined)
      return { places: left.filter((place) => beginningOf(place) <= last), next: { at, scan, after: last } };
    const next = following === "0" ? { ...start, at: at + 1 } : { at, scan: following, after: "" };
    return { places: left, next };
  };
  /** The records of one account, network or refused name, newest first. `id` tells two histories apart, and is no name. */
  const readHistory = async (place: HistoryPlace, sinceMs: number) => {
    const own = (await readPlaces([place])).filter((record) => isOwn(place, record));
    const records = joined(unique(own)).filter(({ timeMs }) => timeMs >= sinceMs);
    return { id: `${place.kind.slice(0, 1)}${place.digest}`, records };
  };
  /** @param cursor `next` of the page before; undefined for the first one */
  return async (cursor: string | undefined, sinceMs: number) => {
    let position = cursor === undefined ? start : positionIn(cursor);
    const places: HistoryPlace[] = [];
    for (let scans = 0; scans < mostScans && position.at < allShards.length && places.length < size; scans += 1) {
      // The cursor is that of the answer before.
      // oxlint-disable-next-line no-await-in-loop
      const found = await scanned(position, sinceMs, size - places.length);
      places.push(...found.places);
      position = found.next;
    }
    const histories = await Promise.all(places.map((place) => readHistory(place, sinceMs)));
    const isOver = position.at >= allShards.length;
    return {
      /** In no order. */
      histories: histories.filter(({ records }) => records.length > 0),
      /** Share of the whole that has been read, 0 to 1. */
      done: position.at / allShards.length,
      /** Of the next page; absent on the last one. */
      ...(!isOver && { next: writtenCursor(position) }),
    };
  };
}

export type HistoryPage = Awaited<ReturnType<ReturnType<typeof createHistoryPages>>>;
