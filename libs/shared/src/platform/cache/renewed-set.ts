import { createRenewedMap } from "./renewed-map.ts";

/** The part of Set's interface that a list of short-lived items needs; iterates in the order of insertion. */
export interface RenewedSet<T> extends Iterable<T> {
  readonly size: number;
  readonly add: (item: T) => void;
  readonly delete: (item: T) => void;
}

/** For the same reason as `RenewedMap`: a Set keeps its items in tables of the same kind. */
export function createRenewedSet<T>(): RenewedSet<T> {
  const items = createRenewedMap<T, T>();
  return {
    get size() {
      return items.size();
    },
    add: (item) => items.set(item, item),
    delete: (item) => items.delete(item),
    [Symbol.iterator]: () => items.values(),
  };
}
