import type { RedisClient } from "../../platform/redis/client.ts";
import { originKey } from "../../platform/redis/keys/counts.ts";

const minuteMs = 60_000;

/** The ranges that are shown, each as a number of periods that are counted separately. The latest period is not over yet. */
export const originRanges = {
  "1h": { series: "hour", stepMs: 10 * minuteMs, periods: 6 },
  "24h": { series: "day", stepMs: 120 * minuteMs, periods: 12 },
  "7d": { series: "week", stepMs: 720 * minuteMs, periods: 14 },
} as const;

export type OriginRange = keyof typeof originRanges;
export const originRangeNames = ["1h", "24h", "7d"] as const satisfies readonly OriginRange[];

export const isOriginRange = (text: string): text is OriginRange => Object.hasOwn(originRanges, text);

/** Two periods longer than it is shown, for clocks that differ. */
export function originLifeSeconds(range: OriginRange): number {
  const { stepMs, periods } = originRanges[range];
  return (stepMs * (periods + 3)) / 1000;
}

/** What sign-ins are counted by. */
export const originKinds = ["countries", "systems"] as const;
export type OriginKind = (typeof originKinds)[number];

/** Entries of one kind in a period, in Redis and in a batch. Countries are all there are; of systems, the largest are kept. */
export const maxOrigins: Readonly<Record<OriginKind, number>> = { countries: 256, systems: 128 };

/** Where a sign-in came from if no file knows its address, or it has none. */
export const unknownOrigin = "-";
/** The sum of those that were too small to be kept. */
export const otherOrigins = "*";

/** Bytes of a name: an entry with the largest numbers takes 64, up to which Redis stores a hash compactly. */
export const longestOwnerName = 36;

/** Sign-ins from one place. Temporary failures are in neither number. */
export interface Tally {
  ok: number;
  refused: number;
  /** Name of the owner of an autonomous system; empty if unknown. */
  name: string;
}

/** By country code, or by the number of the autonomous system. */
export type Tallies = Map<string, Tally>;

export function addTally(to: Tallies, origin: string, { ok, refused, name }: Readonly<Tally>): void {
  const known = to.get(origin);
  if (known === undefined) {
    to.set(origin, { ok, refused, name });
    return;
  }
  known.ok += ok;
  known.refused += refused;
  if (name !== "") known.name = name;
}

/**
 * Adds up all but the largest as `otherOrigins`. Half of those kept have the most refusals, so that an attack does not disappear behind the
 * networks of the site's own users; the others have the most successes.
 */
export function keepLargest(tallies: Tallies, atMost: number): void {
  if (tallies.size <= atMost) return;
  const entries = [...tallies].filter(([origin]) => origin !== otherOrigins && origin !== unknownOrigin);
  const first = (count: "ok" | "refused") =>
    entries
      .toSorted(([, one], [, other]) => other[count] - one[count])
      .slice(0, Math.floor((atMost - 2) / 2))
      .map(([origin]) => origin);
  const kept = new Set([...first("refused"), ...first("ok")]);
  for (const [origin, tally] of entries) {
    if (kept.has(origin)) continue;
    tallies.delete(origin);
    addTally(tallies, otherOrigins, { ...tally, name: "" });
  }
}

/** An entry of a hash as the script of the engines writes it: `OK REFUSED[ NAME]`. Undefined for what another version wrote. */
export function readTally(text: string): Tally | undefined {
  const [, ok, refused, name = ""] = /^(\d{1,15}) (\d{1,15})(?: (.*))?$/su.exec(text) ?? [];
  return ok === undefined ? undefined : { ok: Number(ok), refused: Number(refused), name };
}

export function createOriginReader(redis: RedisClient, keyPrefix: string) {
  const sumOf = async (range: OriginRange, kind: OriginKind, first: number): Promise<Tallies> => {
    const { series, periods } = originRanges[range];
    const numbers = Array.from({ length: periods }, (_, index) => String(first + index));
    const hashes = await Promise.all(
      numbers.map((number) => redis.hgetall(originKey.build(keyPrefix, series, number, kind))),
    );
    const sum: Tallies = new Map();
    for (const hash of hashes) {
      for (const [origin, text] of Object.entries(hash)) {
        const tally = readTally(text);
        if (tally !== undefined) addTally(sum, origin, tally);
      }
    }
    return sum;
  };
  /** Sums of a range, with the begin of its first period. */
  return async (range: OriginRange, nowMs: number) => {
    const { stepMs, periods } = originRanges[range];
    const first = Math.floor(nowMs / stepMs) - periods + 1;
    const [countries, systems] = await Promise.all([sumOf(range, "countries", first), sumOf(range, "systems", first)]);
    return { sinceMs: first * stepMs, countries, systems };
  };
}
