import { NumberCounts, NumberSet, pairOf } from "./number-set.ts";

/** Accounts that signed in, of all networks in one window: as many as a table of a million slots takes. */
const maxSignedIn = 780_000;

/** Distinct accounts by network in a window of `tolerate_ttl` and in the one before, of which only the numbers matter. */
export class SignedIn {
  readonly #seen = new NumberSet(maxSignedIn);
  #counts = new NumberCounts();
  #before = new NumberCounts();
  #wasFull = false;

  add(network: number, account: number): void {
    if (this.#seen.add(pairOf(network, account))) this.#counts.increment(network);
  }

  countOf(network: number): number {
    return this.#counts.get(network);
  }

  /** The larger number of the two windows. */
  mostOf(network: number): number {
    return Math.max(this.#counts.get(network), this.#before.get(network));
  }

  /** Begins a window. @param follows whether it is the next one */
  begin(follows: boolean): void {
    this.#wasFull = this.isFull;
    const counts = this.#before;
    this.#before = this.#counts;
    this.#counts = counts;
    counts.clear();
    if (!follows) this.#before.clear();
    this.#seen.clear();
  }

  /** Whether an account was ever left out. */
  get isFull(): boolean {
    return this.#wasFull || this.#seen.isFull;
  }
}
