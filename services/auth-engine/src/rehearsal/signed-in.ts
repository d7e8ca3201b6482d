import type { Clock } from "@postern/shared/platform/time";
import { NumberCounts, NumberSet, pairOf } from "./number-set.ts";

/** Accounts that signed in, of all networks in one window: as many as a table of a million slots takes. */
const maxSignedIn = 780_000;

/** Distinct accounts by network in a window of `tolerate_ttl` and in the one before, of which only the numbers matter. */
class Windows {
  readonly #seen = new NumberSet(maxSignedIn);
  #counts = new NumberCounts();
  #before = new NumberCounts();
  #wasFull = false;

  has(pair: number): boolean {
    return this.#seen.size > 0 && this.#seen.has(pair);
  }

  /** Whether it is new. */
  add(network: number, pair: number): boolean {
    const isNew = this.#seen.add(pair);
    if (isNew) this.#counts.increment(network);
    return isNew;
  }

  /** No longer counts an account of this network, which is counted elsewhere. */
  uncount(network: number): void {
    this.#counts.increment(network, -1);
  }

  countOf(network: number): number {
    return this.#counts.get(network);
  }

  beforeOf(network: number): number {
    return this.#before.get(network);
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

/**
 * Accounts that signed in, for several configurations with the same `tolerate_ttl`. Most sign in under all of them, and are kept once. An
 * account of a network is counted either here or by a configuration itself, never by both.
 */
export class SignIns {
  readonly #clock: Clock;
  readonly #tolerateMs: number;
  readonly #common = new Windows();
  readonly #own: Windows[] = [];
  #window = 0;

  constructor(clock: Clock, tolerateMs: number) {
    this.#clock = clock;
    this.#tolerateMs = tolerateMs;
  }

  /** Records an account that signs in under all configurations. */
  add(networks: readonly number[], account: number): void {
    if (this.#tolerateMs === 0) return;
    this.#advance();
    for (const network of networks) {
      const pair = pairOf(network, account);
      if (!this.#common.add(network, pair)) continue;
      for (const own of this.#own) if (own.has(pair)) own.uncount(network);
    }
  }

  /** What one configuration sees. */
  view() {
    const own = new Windows();
    const common = this.#common;
    this.#own.push(own);
    return {
      /** Records an account that signs in under this configuration. */
      add: (network: number, account: number): void => {
        if (this.#tolerateMs === 0) return;
        this.#advance();
        const pair = pairOf(network, account);
        if (!common.has(pair)) own.add(network, pair);
      },
      countOf: (network: number): number => {
        this.#advance();
        return common.countOf(network) + own.countOf(network);
      },
      /** The larger number of this window and the one before. */
      mostOf: (network: number): number => {
        this.#advance();
        const before = common.beforeOf(network) + own.beforeOf(network);
        return Math.max(common.countOf(network) + own.countOf(network), before);
      },
      isFull: (): boolean => common.isFull || own.isFull,
    };
  }

  #advance(): void {
    const window = this.#tolerateMs === 0 ? 0 : Math.floor(this.#clock.now() / this.#tolerateMs);
    if (window === this.#window) return;
    for (const one of [this.#common, ...this.#own]) one.begin(window === this.#window + 1);
    this.#window = window;
  }
}
