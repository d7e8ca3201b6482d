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
  /** Called for each entry that is removed or replaced, for any reason. */
  readonly onRemove?: (value: Value, key: string) => void;
  /** Bounds the sizes of all entries together, besides their number. A larger entry is not kept. */
  readonly sizes?: { readonly max: number; readonly of: (value: Value) => number };
}

export type BoundedCache<Value extends string | number | object> = ReturnType<typeof createBoundedCache<Value>>;

/** lru-cache keeps an entry through the last millisecond of its life and takes a start of 0 for "never expires". */
const lastMs = 0.5;
const timeOf = (clock: Clock | undefined) => ({ now: () => (clock === undefined ? 1 : clock.now() + 1) });

/**
 * Values in the memory of one process, bounded in number and, with a clock, in age: the cache for everything that is not read with every
 * request (`createHotCache`), and for the result cache. It has no timer: an entry that has expired is removed when it is read, or when the
 * cache is full. The bound is a size of 1 for each entry, because lru-cache allocates memory for `max`
 * entries up front, and some bounds come from the configuration.
 */
export function createBoundedCache<Value extends string | number | object>(options: BoundedCacheOptions<Value>) {
  const { maxEntries, evict, clock, ttlMs: usualMs, onEvict, onRemove, sizes } = options;
  const entries = new LRUCache<string, Value>({
    maxSize: sizes?.max ?? maxEntries,
    sizeCalculation: sizes?.of ?? (() => 1),
    ...(clock !== undefined && { perf: timeOf(clock), ttlResolution: 0 }),
    ...((onEvict !== undefined || onRemove !== undefined) && {
      dispose: (value, key, reason) => {
        if (reason === "evict") onEvict?.(value);
        onRemove?.(value, key);
      },
    }),
  });
  /** Reads an entry, which does not count as used. */
  const peek = (key: string): Value | undefined => {
    const value = entries.peek(key);
    if (value === undefined) entries.delete(key);
    return value;
  };
  return {
    get: evict === "oldest" ? peek : (key: string): Value | undefined => entries.get(key),
    peek,
    /** The entry that a full cache removes next. */
    next: (): readonly [key: string, value: Value] | undefined => {
      const key = entries.rkeys().next().value;
      const value = typeof key === "string" ? entries.peek(key) : undefined;
      return typeof key === "string" && value !== undefined ? [key, value] : undefined;
    },
    /** `ttlMs` replaces the cache's own for this entry. */
    set: (key: string, value: Value, ttlMs = usualMs): void => {
      if (ttlMs === undefined) entries.set(key, value);
      else if (ttlMs > 0) entries.set(key, value, { ttl: ttlMs - lastMs });
      while (entries.size > maxEntries) entries.pop();
    },
    delete: (key: string): void => void entries.delete(key),
    deleteWhere: (matches: (value: Value) => boolean): void => {
      const matching: string[] = [];
      for (const [key, value] of entries.entries()) if (matches(value)) matching.push(key);
      for (const key of matching) entries.delete(key);
    },
    clear: (): void => entries.clear(),
    get size(): number {
      return entries.size;
    },
    /** The sizes of all entries together; their number if the cache has no sizes. */
    get totalSize(): number {
      return entries.calculatedSize;
    },
  };
}
