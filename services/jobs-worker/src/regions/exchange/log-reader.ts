import type { RegionLog } from "@postern/shared/domain/regions";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { type RedisClient, regionLogKey } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { type Batch, maxBatchBytes, maxBatchEntries } from "./messages.ts";

interface LogReaderDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly log: Pick<RegionLog, "append">;
  /** That of Redis, which numbers the entries by it. */
  readonly clock: Clock;
}

type Entry = readonly [id: string, fields: readonly string[]];

const timeOf = (id: string): number => Number(id.split("-", 1)[0]);
const fieldOf = ([, fields]: Entry, name: string): string => fields[fields.indexOf(name) + 1] ?? "";
const numberOf = (entry: Entry): number => Number(fieldOf(entry, "n"));
const isPosition = (text: string): boolean => /^\d{1,15}-\d{1,10}$/u.test(text);

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
  /** Where to go on after a snapshot that is taken from now on. */
  const head = async (): Promise<string> => {
    const newest = await last();
    if (newest !== undefined) return newest[0];
    await log.append({ kind: "begun" });
    return head();
  };
  return {
    newest: async (): Promise<string | undefined> => (await last())?.[0],
    /** What follows a position, or where to begin because the log does not have it. */
    read: async (from: string | undefined): Promise<Omit<Batch, "heldMs"> | { readonly gone: string }> => {
      if (from === undefined || !isPosition(from)) return { gone: await head() };
      const [known, ...following] = await redis.xrange(key, from, "+", "COUNT", maxBatchEntries + 1);
      if (known?.[0] !== from) return { gone: await head() };
      const batch = fitting(following);
      const reached = batch.at(-1) ?? known;
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
