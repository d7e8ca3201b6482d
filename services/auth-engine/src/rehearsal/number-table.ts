import { firstSlots, mostUsed, slotOf } from "./number-set.ts";

/** One half of a table. */
class Part {
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
  #newer: Part;
  #older: Part;

  constructor(columns: number, limit: number, isOver: (row: Int32Array) => boolean) {
    this.#columns = columns;
    this.#half = limit / 2;
    this.#isOver = isOver;
    this.#newer = new Part(columns);
    this.#older = new Part(columns);
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
    this.#newer = new Part(this.#columns);
  }
}
