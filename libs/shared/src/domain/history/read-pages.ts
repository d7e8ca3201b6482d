import { historyIndexKey } from "../../platform/redis/keys/history.ts";
import type { RecordedDecision } from "./decision-record.ts";
import { allShards, type HistoryPlace, placeWith } from "./history-places.ts";
import { joined, type ReadPlace, type Stored, unique } from "./read-places.ts";
import { type HistoryStore, secondsOf } from "./store.ts";

/** A page is full with so many histories. One answer of Redis may have some more. */
const historiesOfPage = 64;

/** The records of one account, network or refused name. */
export interface WholeHistory {
  /** Tells two histories apart, and is no name. */
  readonly id: string;
  /** Newest first. */
  readonly records: readonly RecordedDecision[];
}

/** Histories in no order. */
export interface HistoryPage {
  readonly histories: readonly WholeHistory[];
  /** Of the next page; absent on the last one. */
  readonly next?: string;
  /** Share of the whole that has been read, 0 to 1. */
  readonly done: number;
}

interface Position {
  /** In `allShards`. */
  readonly at: number;
  /** Of `ZSCAN`. */
  readonly scan: string;
}

const start: Position = { at: 0, scan: "0" };

/** @throws RangeError */
function positionIn(cursor: string): Position {
  const [, shard, scan] = /^(\d{1,3}):(\d{1,20})$/u.exec(cursor) ?? [];
  if (scan === undefined || Number(shard) >= allShards.length) throw new RangeError("invalid cursor");
  return { at: Number(shard), scan };
}

/** Earlier versions also wrote what is an account's to its network. */
const isOwn = ({ kind }: HistoryPlace, { account }: Stored): boolean => kind !== "network" || account === undefined;

/**
 * Reads the whole history, some histories at a time. One that is there from the first to the last page is in at least one of them, and may be in
 * two. Rejects without Redis, with a RangeError for a cursor that is none.
 */
export function createHistoryPages({ redis, keyPrefix }: HistoryStore, readPlace: ReadPlace) {
  const scanned = async ({ at, scan }: Position, sinceMs: number) => {
    const { kind, shard } = allShards[at] ?? { kind: "account", shard: "A" };
    const key = historyIndexKey.build(keyPrefix, kind, shard);
    const [following, found] = await redis.zscan(key, scan, "COUNT", historiesOfPage);
    const places = found.flatMap((digest, index) => {
      const isRecent = index % 2 === 0 && Number(found[index + 1]) >= secondsOf(sinceMs);
      return isRecent ? [placeWith(kind, digest)] : [];
    });
    const next = following === "0" ? { at: at + 1, scan: "0" } : { at, scan: following };
    return { places, next };
  };
  const readHistory = async (place: HistoryPlace, sinceMs: number): Promise<WholeHistory> => {
    const own = (await readPlace(place)).filter((record) => isOwn(place, record));
    const records = joined(unique(own)).filter(({ timeMs }) => timeMs >= sinceMs);
    return { id: `${place.kind.slice(0, 1)}${place.digest}`, records };
  };
  /** @param cursor `next` of the page before; undefined for the first one */
  return async (cursor: string | undefined, sinceMs: number): Promise<HistoryPage> => {
    let position = cursor === undefined ? start : positionIn(cursor);
    const places: HistoryPlace[] = [];
    while (position.at < allShards.length && places.length < historiesOfPage) {
      // The cursor is that of the answer before.
      // oxlint-disable-next-line no-await-in-loop
      const found = await scanned(position, sinceMs);
      places.push(...found.places);
      position = found.next;
    }
    const histories = await Promise.all(places.map((place) => readHistory(place, sinceMs)));
    const isOver = position.at >= allShards.length;
    return {
      histories: histories.filter(({ records }) => records.length > 0),
      done: position.at / allShards.length,
      ...(!isOver && { next: `${position.at}:${position.scan}` }),
    };
  };
}
