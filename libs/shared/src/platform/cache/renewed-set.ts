import { createRenewedMap } from "./renewed-map.ts";

export type RenewedSet<T> = ReturnType<typeof createRenewedSet<T>>;

/** The part of Set's interface that a list of short-lived items needs, in the order of insertion. A Set keeps its items in tables of the same kind as a Map. */
export function createRenewedSet<T>() {
  const items = createRenewedMap<T, T>();
  return {
    get size(): number {
      return items.size();
    },
    add: (item: T): void => items.set(item, item),
    delete: (item: T): void => items.delete(item),
    [Symbol.iterator]: (): IterableIterator<T> => items.values(),
  };
}
