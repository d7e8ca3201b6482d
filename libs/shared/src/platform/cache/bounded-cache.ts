import { LRUCache } from "lru-cache";
import type { Clock } from "../time/clock.ts";

export interface BoundedCacheOptions<Value> {
  readonly maxEntries: number;
  /** The entry that a full cache removes: the one that was set first, or the one that was not used for the longest time. */
  readonly evict: "oldest" | "least-used";
  /** Without it, entries do not expire. */
  readonly clock?: Clock;
  /** How long an entry lives. 0 keeps nothing. Needs a clock. */
  readonly ttlMs?: number;
  /** Called with the value of each entry that is removed because the cache is full. */
  readonly onEvict?: (value: Value) => void;
}

/** Values in the memory of one process, bounded in number and, with a clock, in age. */
export interface BoundedCache<Value> {
  readonly get: (key: string) => Value | undefined;
  /** `ttlMs` replaces the cache's own for this entry. */
  readonly set: (key: string, value: Value, ttlMs?: number) => void;
  readonly delete: (key: string) => void;
  readonly deleteWhere: (matches: (value: Value) => boolean) => void;
  readonly clear: () => void;
  readonly size: number;
}

/** lru-cache keeps an entry through the last millisecond of its life and takes a start of 0 for "never expires". */
const lastMs = 0.5;
const timeOf = (clock: Clock | undefined) => ({ now: () => (clock === undefined ? 1 : clock.now() + 1) });

/**
 * The cache for everything that is not on the hot path. It has no timer: an entry that has expired is removed when it is
 * read, or when the cache is full. The bound is a size of 1 for each entry, because lru-cache allocates memory for `max`
 * entries up front, and some bounds come from the configuration.
 */
export function createBoundedCache<Value extends string | number | object>(
  options: BoundedCacheOptions<Value>,
): BoundedCache<Value> {
  const { maxEntries, evict, clock, ttlMs: usualMs, onEvict } = options;
  const entries = new LRUCache<string, Value>({
    maxSize: maxEntries,
    sizeCalculation: () => 1,
    ...(clock !== undefined && { perf: timeOf(clock), ttlResolution: 0 }),
    ...(onEvict !== undefined && {
      dispose: (value, _key, reason) => {
        if (reason === "evict") onEvict(value);
      },
    }),
  });
  const peek = (key: string): Value | undefined => {
    const value = entries.peek(key);
    if (value === undefined) entries.delete(key);
    return value;
  };
  return {
    get: evict === "oldest" ? peek : (key) => entries.get(key),
    set: (key, value, ttlMs = usualMs) => {
      if (ttlMs === undefined) entries.set(key, value);
      else if (ttlMs > 0) entries.set(key, value, { ttl: ttlMs - lastMs });
    },
    delete: (key) => void entries.delete(key),
    deleteWhere: (matches) => {
      const matching = [...entries.entries()].filter(([, value]) => matches(value));
      for (const [key] of matching) entries.delete(key);
    },
    clear: () => entries.clear(),
    get size() {
      return entries.size;
    },
  };
}
