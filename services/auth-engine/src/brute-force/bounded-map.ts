/** A map that forgets what was set longest ago when it is full. */
export interface BoundedMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
}

export function createBoundedMap<V>(max: number, onEvict: (value: V) => void = () => undefined): BoundedMap<V> {
  const map = new Map<string, V>();
  return {
    get: (key) => map.get(key),
    set: (key, value) => {
      map.delete(key);
      map.set(key, value);
      if (map.size <= max) return;
      for (const [oldest, evicted] of map) {
        map.delete(oldest);
        onEvict(evicted);
        return;
      }
    },
    delete: (key) => void map.delete(key),
    clear: () => map.clear(),
    get size() {
      return map.size;
    },
  };
}
