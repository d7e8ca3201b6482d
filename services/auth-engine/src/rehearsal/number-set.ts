/**
 * A text as a number of 53 bits. Texts are remembered by such numbers, because millions of them would not fit into the memory; two of a
 * million texts have the same number with a probability of one in ten thousand.
 */
export function numberOf(text: string, from = 0, to = text.length): number {
  let high = 0xde_ad_be_ef;
  let low = 0x41_c6_ce_57;
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0) + 1;
}

const firstSlots = 16;
/** Share of the slots in use at which their number doubles. */
const mostUsed = 0.75;

const twoTo32 = 4_294_967_296;

function mixed(low: number, high: number): number {
  const mix = Math.imul(low ^ Math.imul(high, 2_246_822_507), 2_654_435_761);
  return Math.imul(mix ^ (mix >>> 15), 3_266_489_909);
}

/** One number of 53 bits for two. */
export function pairOf(one: number, other: number): number {
  const high = mixed(one | 0, other / twoTo32);
  const low = mixed(other | 0, one / twoTo32);
  return twoTo32 * (2_097_151 & (high ^ (low >>> 13))) + ((low ^ (high >>> 16)) >>> 0) + 1;
}

/** Where a number is, or where there is room for it. */
function slotOf(slots: Float64Array, number: number): number {
  const mask = slots.length - 1;
  const mix = mixed(number | 0, number / twoTo32);
  let at = (mix ^ (mix >>> 16)) & mask;
  for (let found = slots[at]; found !== 0 && found !== number; found = slots[at]) at = (at + 1) & mask;
  return at;
}

/** Numbers above 0, each with so many 32-bit integers: a `Set` or `Map` takes more than twice as much memory. */
class NumberRows {
  keys = new Float64Array(firstSlots);
  values: Int32Array;
  size = 0;
  readonly #columns: number;

  constructor(columns: number) {
    this.#columns = columns;
    this.values = new Int32Array(columns * firstSlots);
  }

  /** Where the values of a number begin; -1 without any. */
  find(number: number): number {
    const slot = slotOf(this.keys, number);
    return this.keys[slot] === number ? slot * this.#columns : -1;
  }

  /** The number must not be in it. */
  add(number: number): number {
    if (this.size >= mostUsed * this.keys.length) this.#grow();
    const slot = slotOf(this.keys, number);
    this.keys[slot] = number;
    this.size += 1;
    return slot * this.#columns;
  }

  /** Its memory is kept: another array would be beside this one until garbage is collected. */
  clear(): void {
    this.keys.fill(0);
    this.values.fill(0);
    this.size = 0;
  }

  #grow(): void {
    const [keys, values] = [this.keys, this.values];
    this.keys = new Float64Array(2 * keys.length);
    this.values = new Int32Array(2 * values.length);
    for (const [slot, number] of keys.entries()) {
      if (number === 0) continue;
      const from = slot * this.#columns;
      this.values.set(values.subarray(from, from + this.#columns), slotOf(this.keys, number) * this.#columns);
      this.keys[slotOf(this.keys, number)] = number;
    }
  }
}

/** A set of numbers above 0 that takes at most 22 bytes for each. It is full at its limit, and then takes no others. */
export class NumberSet {
  /** Whether a number was left out. */
  isFull = false;
  readonly #limit: number;
  readonly #rows = new NumberRows(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#rows.size;
  }

  has(number: number): boolean {
    return this.#rows.find(number) >= 0;
  }

  /** Whether the number is new; false for one that no longer fits. */
  add(number: number): boolean {
    if (this.has(number)) return false;
    if (this.size >= this.#limit) {
      this.isFull = true;
      return false;
    }
    this.#rows.add(number);
    return true;
  }

  clear(): void {
    this.#rows.clear();
    this.isFull = false;
  }
}

/** How often each number above 0 was counted. */
export class NumberCounts {
  readonly #rows = new NumberRows(1);

  get(number: number): number {
    const at = this.#rows.find(number);
    return at < 0 ? 0 : (this.#rows.values[at] ?? 0);
  }

  /** Returns the new count. */
  increment(number: number, by = 1): number {
    const rows = this.#rows;
    const found = rows.find(number);
    const at = found < 0 ? rows.add(number) : found;
    const count = (rows.values[at] ?? 0) + by;
    rows.values[at] = count;
    return count;
  }

  clear(): void {
    this.#rows.clear();
  }
}

/**
 * Rows of 32-bit integers by a number above 0, outside the heap: a Map of objects takes several times as much, and its garbage is collected
 * again and again. Of two halves, the older one is dropped when the newer one is full, so that at least half of the limit is kept.
 */
export class NumberTable {
  /** Rows that made room while they still counted. */
  dropped = 0;
  readonly #columns: number;
  readonly #half: number;
  readonly #isOver: (row: Int32Array) => boolean;
  #newer: NumberRows;
  #older: NumberRows;

  constructor(columns: number, limit: number, isOver: (row: Int32Array) => boolean) {
    this.#columns = columns;
    this.#half = limit / 2;
    this.#isOver = isOver;
    this.#newer = new NumberRows(columns);
    this.#older = new NumberRows(columns);
  }

  /** The value in a column; 0 if there is no row. */
  get(number: number, column: number): number {
    const at = this.#newer.find(number);
    if (at >= 0) return this.#newer.values[at + column] ?? 0;
    const old = this.#older.find(number);
    return old >= 0 ? (this.#older.values[old + column] ?? 0) : 0;
  }

  has(number: number): boolean {
    return this.#newer.find(number) >= 0 || this.#older.find(number) >= 0;
  }

  /** Sets the row of a number, which becomes the newest. */
  put(number: number, row: ArrayLike<number>): void {
    let at = this.#newer.find(number);
    if (at < 0) {
      if (this.#newer.size >= this.#half) this.#rotate();
      at = this.#newer.add(number);
    }
    this.#newer.values.set(row, at);
  }

  #rotate(): void {
    const { keys, values } = this.#older;
    for (const [slot, number] of keys.entries()) {
      if (number === 0 || this.#newer.find(number) >= 0) continue;
      const from = slot * this.#columns;
      if (!this.#isOver(values.subarray(from, from + this.#columns))) this.dropped += 1;
    }
    this.#older = this.#newer;
    this.#newer = new NumberRows(this.#columns);
  }
}
