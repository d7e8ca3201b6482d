import { NumberCounts, NumberSet, pairOf } from "./number-set.ts";

/** Accounts that signed in, of all networks in one window: as many as a table of two million slots takes. */
const maxSignedIn = 1_250_000;

/** Distinct accounts by network in one window of `tolerate_ttl`. */
export class SignedIn {
  readonly #seen = new NumberSet(maxSignedIn);
  readonly #counts = new NumberCounts();

  add(network: number, account: number): void {
    if (this.#seen.add(pairOf(network, account))) this.#counts.increment(network);
  }

  countOf(network: number): number {
    return this.#counts.get(network);
  }

  get isFull(): boolean {
    return this.#seen.isFull;
  }
}
