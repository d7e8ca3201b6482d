import type { Clock } from "@postern/shared/time";

export interface ExpiringCacheSettings {
  /** 0 remembers nothing. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** What leaves when it is full: the oldest, or the one not used for longest. */
  readonly evict: "ttl" | "lru";
}

/** What a process remembers of a directory for a short time, bounded in number and age. */
export interface ExpiringCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  /** Forgets what belongs to an account that changed. */
  deleteWhere(matches: (value: Value) => boolean): void;
  readonly size: number;
}

export function createExpiringCache<Value>(settings: ExpiringCacheSettings, clock: Clock): ExpiringCache<Value> {
  const { ttlMs, maxEntries, evict } = settings;
  const entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>();

  return {
    get: (key) => {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      if (found.expiresAt <= clock.now()) {
        entries.delete(key);
        return undefined;
      }
      if (evict === "lru") {
        entries.delete(key);
        entries.set(key, found);
      }
      return found.value;
    },
    set: (key, value) => {
      if (ttlMs <= 0 || maxEntries <= 0) return;
      entries.delete(key);
      entries.set(key, { value, expiresAt: clock.now() + ttlMs });
      if (entries.size <= maxEntries) return;
      for (const first of entries.keys()) {
        entries.delete(first);
        return;
      }
    },
    delete: (key) => void entries.delete(key),
    deleteWhere: (matches) => {
      for (const [key, { value }] of entries) if (matches(value)) entries.delete(key);
    },
    get size() {
      return entries.size;
    },
  };
}
