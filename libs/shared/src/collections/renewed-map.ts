/** As many entries as a Map takes up before it is copied; more where it holds more, so that copying stays cheap. */
const copyAfter = 256;

/** What is used of a Map whose entries come and go all the time. */
export interface RenewedMap<K, V> {
  readonly has: (key: K) => boolean;
  readonly get: (key: K) => V | undefined;
  readonly set: (key: K, value: V) => void;
  readonly delete: (key: K) => void;
  readonly size: () => number;
  readonly values: () => IterableIterator<V>;
  readonly entries: () => IterableIterator<[K, V]>;
  readonly clear: () => void;
}

/**
 * V8's Map makes itself a new table each time that its own is full of deleted entries, and the old table points at the
 * new one. Once the collector has put one of them among the old objects, it takes all that follow for alive, with every
 * entry that they ever held, until its next full run: each request was copied twice for nothing (ADR 0100). Copies of a
 * Map do not point at each other, and are dropped before they are old.
 */
export function createRenewedMap<K, V>(): RenewedMap<K, V> {
  let map = new Map<K, V>();
  let sinceCopied = 0;
  return {
    has: (key) => map.has(key),
    get: (key) => map.get(key),
    set: (key, value) => {
      sinceCopied += 1;
      if (sinceCopied >= Math.max(copyAfter, 4 * map.size)) {
        map = new Map(map);
        sinceCopied = 0;
      }
      map.set(key, value);
    },
    delete: (key) => void map.delete(key),
    size: () => map.size,
    values: () => map.values(),
    entries: () => map.entries(),
    clear: () => {
      map = new Map();
    },
  };
}
