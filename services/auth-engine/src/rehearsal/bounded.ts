/** A map is not swept below this size. */
export const fewEntries = 1024;

/** Entries with an end. The order of a Map is that of insertion, so a changed entry is moved to its end. */
export class Bounded<Value> {
  readonly entries = new Map<number, Value>();
  /** Entries that made room while they still counted. */
  dropped = 0;
  #sweptAt = fewEntries;
  readonly #limit: number;
  readonly #isOver: (value: Value) => boolean;

  constructor(limit: number, isOver: (value: Value) => boolean) {
    this.#limit = limit;
    this.#isOver = isOver;
  }

  /** Drops what is over, then the oldest until so many are left. */
  sweep(limit: number): void {
    const { entries } = this;
    for (const [old, found] of entries) if (this.#isOver(found)) entries.delete(old);
    for (const oldest of entries.keys()) {
      if (entries.size <= limit) break;
      entries.delete(oldest);
      this.dropped += 1;
    }
  }

  put(key: number, value: Value): void {
    const { entries } = this;
    entries.delete(key);
    entries.set(key, value);
    if (entries.size < this.#sweptAt) return;
    this.sweep(0.9 * this.#limit);
    this.#sweptAt = Math.min(this.#limit, Math.max(fewEntries, 2 * entries.size));
  }
}
