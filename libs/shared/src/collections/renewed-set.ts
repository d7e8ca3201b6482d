import { createRenewedMap } from "./renewed-map.ts";

/** What is used of a Set whose items come and go all the time, in the order in which they came. */
export interface RenewedSet<T> extends Iterable<T> {
  readonly size: number;
  readonly add: (item: T) => void;
  readonly delete: (item: T) => void;
}

/** For the reasons of a `RenewedMap`: a Set keeps its items in tables of the same kind. */
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
