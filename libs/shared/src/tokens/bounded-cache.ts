/** A map of bounded size that forgets what was used longest ago, up to half of it at a time. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  readonly size: number;
}

/**
 * Two Maps in place of one in the order of use: what is used goes to the newer one, which takes the place of the older
 * when it is half of all. A Map whose entries change places all the time keeps the past alive (ADR 0100).
 */
export function createBoundedCache<Value>(maxEntries: number): BoundedCache<Value> {
  const half = Math.max(1, Math.floor(maxEntries / 2));
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();

  const set = (key: string, value: Value): void => {
    older.delete(key);
    if (newer.size >= half && !newer.has(key)) {
      older = maxEntries > 1 ? newer : new Map();
      newer = new Map();
    }
    newer.set(key, value);
  };
  return {
    get: (key) => {
      const recent = newer.get(key);
      if (recent !== undefined) return recent;
      const found = older.get(key);
      if (found !== undefined) set(key, found);
      return found;
    },
    set,
    delete: (key) => {
      newer.delete(key);
      older.delete(key);
    },
    get size() {
      return newer.size + older.size;
    },
  };
}
