import { Type } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";
import { auditHistoryKey } from "../../platform/redis/keys/history.ts";
import { type AuditEntry, auditHistoryKinds } from "./record-audit.ts";
import { type HistoryStore, openRecord } from "./store.ts";

const form = compileCheck(Type.Record(Type.String(), Type.String()));

export interface AuditHistoryQuery {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Most entries of the page. */
  readonly size: number;
  readonly cursor?: string | undefined;
  readonly matches: (entry: AuditEntry) => boolean;
}

export interface AuditHistoryPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Absent on the last page. A page ends early when much was read and little matched. */
  readonly next?: string;
}

/** Rejects when Redis does not answer. @throws RangeError for an invalid cursor */
export type ReadAuditHistory = (query: AuditHistoryQuery) => Promise<AuditHistoryPage>;

/** Read from Redis at a time; opening so many takes the event loop a few milliseconds. */
const chunkSize = 250;
/** Read for one page, which costs less than 20 ms of CPU. */
const maxRead = 1500;
/** Redis gives a record its place when it is written, by its own clock: how far that may be from the record's time. */
const slackMs = 600_000;

interface Placed {
  readonly id: readonly [ms: number, sequence: number];
  readonly text: string;
}

type Cursor = readonly [ms: number, sequence: number, source: number];

function parsedCursor(text: string): Cursor {
  const [, ms, sequence, source] = /^(\d{1,15})-(\d{1,15})\.([01])$/u.exec(text) ?? [];
  if (ms === undefined) throw new RangeError("invalid cursor");
  return [Number(ms), Number(sequence), Number(source)];
}

/** One stream, newest first, from a place on. */
function createSource(
  read: (from: string) => Promise<readonly (readonly [id: string, fields: string[]])[]>,
  from: string,
) {
  let next = from;
  let isOver = false;
  const chunk: Placed[] = [];
  return {
    /** The newest that was not taken. */
    peek: async (): Promise<Placed | undefined> => {
      if (chunk.length === 0 && !isOver) {
        const found = await read(next);
        isOver = found.length < chunkSize;
        for (const [id, [, text = ""]] of found) {
          const [ms, sequence] = id.split("-").map(Number);
          chunk.push({ id: [ms ?? 0, sequence ?? 0], text });
          next = `(${id}`;
        }
      }
      return chunk[0];
    },
    take: (): void => void chunk.shift(),
  };
}

type Source = ReturnType<typeof createSource>;

function isNewer(one: Placed, other: Placed): boolean {
  return one.id[0] === other.id[0] ? one.id[1] > other.id[1] : one.id[0] > other.id[0];
}

/** The newest of all sources; of two with the same place, that of the first source. */
async function takeNewest(sources: readonly Source[]) {
  let newest: { readonly placed: Placed; readonly source: number } | undefined;
  for (const [source, { peek }] of sources.entries()) {
    // A source reads from Redis once for many records.
    // oxlint-disable-next-line no-await-in-loop
    const placed = await peek();
    if (placed !== undefined && (newest === undefined || isNewer(placed, newest.placed))) newest = { placed, source };
  }
  if (newest !== undefined) sources[newest.source]?.take();
  return newest;
}

/** Where a source begins: below the cursor's place, of which the sources before its own have been taken already. */
function beginning(cursor: Cursor | undefined, source: number, untilMs: number): string {
  if (cursor === undefined) return untilMs === Number.POSITIVE_INFINITY ? "+" : String(untilMs + slackMs);
  const [ms, sequence, taken] = cursor;
  return `${source <= taken ? "(" : ""}${ms}-${sequence}`;
}

type AuditReaderOptions = HistoryStore & { readonly lifeMs: number; readonly nowMs: () => number };

export function createAuditHistory(options: AuditReaderOptions): ReadAuditHistory {
  const { redis, keyPrefix, keys, lifeMs, nowMs } = options;
  const redisKeys = auditHistoryKinds.map((kind) => auditHistoryKey.build(keyPrefix, kind));
  const openSources = (oldestMs: number, untilMs: number, cursor: string | undefined): readonly Source[] => {
    const place = cursor === undefined ? undefined : parsedCursor(cursor);
    const least = String(Math.max(0, oldestMs - slackMs));
    return redisKeys.map((key, index) =>
      createSource((from) => redis.xrevrange(key, from, least, "COUNT", chunkSize), beginning(place, index, untilMs)),
    );
  };
  return async ({ sinceMs = 0, untilMs = Number.POSITIVE_INFINITY, size, cursor, matches }) => {
    const oldestMs = Math.max(sinceMs, nowMs() - lifeMs);
    const sources = openSources(oldestMs, untilMs, cursor);
    const isMeant = (entry: unknown): entry is AuditEntry => {
      if (!form.accepts(entry)) return false;
      const ms = Date.parse(entry["time"] ?? "");
      return ms >= oldestMs && ms <= untilMs && matches(entry);
    };
    const entries: AuditEntry[] = [];
    for (let read = 1; ; read += 1) {
      // Each record decides which source is next.
      // oxlint-disable-next-line no-await-in-loop
      const taken = await takeNewest(sources);
      if (taken === undefined) return { entries };
      const { placed, source } = taken;
      const entry = openRecord(keys, redisKeys[source] ?? "", placed.text);
      if (isMeant(entry)) entries.push(entry);
      if (entries.length >= size || read >= maxRead) return { entries, next: `${placed.id.join("-")}.${source}` };
    }
  };
}
