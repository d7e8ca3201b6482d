import type { RegionLog, RegionLogDeps } from "@postern/shared/domain/regions";
import { regionLogKey } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { type Batch, maxBatchBytes, maxBatchEntries, oldestPosition } from "./messages.ts";

/** `clock`: that of Redis, which numbers the entries by it. */
type LogReaderDeps = RegionLogDeps & { readonly log: Pick<RegionLog, "append">; readonly clock: Clock };

type Entry = readonly [id: string, fields: readonly string[]];

const timeOf = (id: string): number => Number(id.split("-", 1)[0]);
const fieldOf = ([, fields]: Entry, name: string): string => fields[fields.indexOf(name) + 1] ?? "";
const numberOf = (entry: Entry): number => Number(fieldOf(entry, "n"));
const isPosition = /^(?:0|\d{1,15}-\d{1,10})$/u;

/** As many as fit into one reply; at least one. */
function fitting(entries: readonly Entry[]): readonly Entry[] {
  let bytes = 0;
  const end = entries.findIndex((entry) => (bytes += fieldOf(entry, "e").length) > maxBatchBytes);
  return end < 0 ? entries : entries.slice(0, Math.max(1, end));
}

export type LogReader = ReturnType<typeof createLogReader>;

/** Reads the log of this region for the others. All methods reject without Redis. */
export function createLogReader({ redis, keyPrefix, keys, log, clock }: LogReaderDeps) {
  const key = regionLogKey.build(keyPrefix);
  const last = async (): Promise<Entry | undefined> => (await redis.xrevrange(key, "+", "-", "COUNT", 1))[0];
  const eventOf = (entry: Entry): unknown => {
    const plain = keys.open(Buffer.from(fieldOf(entry, "e"), "base64url"), key);
    // The others count what they cannot read.
    return plain === undefined ? null : JSON.parse(plain.toString());
  };
  /** What is behind a position, and the entry there; undefined if the log does not have it. */
  const behind = async (from: string): Promise<{ at: Entry; following: readonly Entry[] } | undefined> => {
    const start = from === oldestPosition ? "-" : from;
    const [at, ...following] = await redis.xrange(key, start, "+", "COUNT", maxBatchEntries + 1);
    if (from !== oldestPosition) return at?.[0] === from ? { at, following } : undefined;
    if (at !== undefined) return { at, following: [at, ...following].slice(0, maxBatchEntries) };
    await log.append({ kind: "begun" });
    return behind(from);
  };
  return {
    newest: async (): Promise<string | undefined> => (await last())?.[0],
    /** What follows a position, or where to begin because the log does not have it. */
    read: async (from: string | undefined): Promise<Omit<Batch, "heldMs"> | { readonly gone: string }> => {
      const found = from !== undefined && isPosition.test(from) ? await behind(from) : undefined;
      if (found === undefined) return { gone: oldestPosition };
      const { at, following } = found;
      const batch = fitting(following);
      const reached = batch.at(-1) ?? at;
      const isAll = batch.length === following.length && following.length < maxBatchEntries;
      const newest = isAll ? reached : ((await last()) ?? reached);
      const nowMs = clock.now();
      return {
        entries: batch.map((entry) => [Math.max(0, nowMs - timeOf(entry[0])), eventOf(entry)]),
        next: reached[0],
        waiting: Math.max(0, numberOf(newest) - numberOf(reached)),
      };
    },
  };
}
