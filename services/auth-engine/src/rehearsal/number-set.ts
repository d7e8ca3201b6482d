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

export const firstSlots = 16;
/** Share of the slots in use at which their number doubles. */
export const mostUsed = 0.75;

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
export function slotOf(slots: Float64Array, number: number): number {
  const mask = slots.length - 1;
  const mix = mixed(number | 0, number / twoTo32);
  let at = (mix ^ (mix >>> 16)) & mask;
  for (let found = slots[at]; found !== 0 && found !== number; found = slots[at]) at = (at + 1) & mask;
  return at;
}

/**
 * A set of numbers above 0 that takes at most 22 bytes for each: a `Set` takes more than twice as many. It is full at its limit, and then
 * takes no others.
 */
export class NumberSet {
  readonly #limit: number;
  #slots = new Float64Array(firstSlots);
  #size = 0;
  #isFull = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether a number was left out. */
  get isFull(): boolean {
    return this.#isFull;
  }

  has(number: number): boolean {
    return this.#slots[slotOf(this.#slots, number)] === number;
  }

  /** Whether the number is new; false for one that no longer fits. */
  add(number: number): boolean {
    const at = slotOf(this.#slots, number);
    if (this.#slots[at] === number) return false;
    if (this.#size >= this.#limit) {
      this.#isFull = true;
      return false;
    }
    this.#slots[at] = number;
    this.#size += 1;
    if (this.#size > mostUsed * this.#slots.length) this.#grow();
    return true;
  }

  /** Its memory is kept: another array would be beside this one until garbage is collected. */
  clear(): void {
    this.#slots.fill(0);
    this.#size = 0;
    this.#isFull = false;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(2 * old.length);
    for (const number of old) if (number !== 0) this.#slots[slotOf(this.#slots, number)] = number;
  }
}

/** How often each number above 0 was counted. */
export class NumberCounts {
  #slots = new Float64Array(firstSlots);
  #counts = new Int32Array(firstSlots);
  #size = 0;

  get(number: number): number {
    return this.#counts[slotOf(this.#slots, number)] ?? 0;
  }

  /** Returns the new count. */
  increment(number: number, by = 1): number {
    const at = slotOf(this.#slots, number);
    if (this.#slots[at] === 0) this.#size += 1;
    this.#slots[at] = number;
    const count = (this.#counts[at] ?? 0) + by;
    this.#counts[at] = count;
    if (this.#size > mostUsed * this.#slots.length) this.#grow();
    return count;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#counts.fill(0);
    this.#size = 0;
  }

  #grow(): void {
    const [numbers, counts] = [this.#slots, this.#counts];
    this.#slots = new Float64Array(2 * numbers.length);
    this.#counts = new Int32Array(2 * numbers.length);
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] ?? 0;
      if (number === 0) continue;
      const at = slotOf(this.#slots, number);
      this.#slots[at] = number;
      this.#counts[at] = counts[index] ?? 0;
    }
  }
}
