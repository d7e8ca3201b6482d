/** A seeded generator of pseudo-random numbers (splitmix32), so that a run can be repeated. */
export interface Random {
  /** A number from 0, below 1. */
  readonly next: () => number;
  readonly chance: (probability: number) => boolean;
  /** A whole number from 0, below `limit`. */
  readonly below: (limit: number) => number;
  /** A whole number, both ends included. */
  readonly between: (min: number, max: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly pickWeighted: <Item extends { readonly weight: number }>(items: readonly Item[]) => Item;
}

export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e37_79b9) | 0;
  const next = (): number => {
    state = (state + 0x9e37_79b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0_aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]): Item => {
    const found = items[below(items.length)];
    if (found === undefined) throw new RangeError("nothing to pick from");
    return found;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    below,
    between: (min, max) => min + below(max - min + 1),
    pick,
    pickWeighted: (items) => {
      let rest = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const item of items) {
        rest -= item.weight;
        if (rest < 0) return item;
      }
      return pick(items);
    },
  };
}
