import { setTimeout as delay } from "node:timers/promises";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Clock } from "@postern/shared/platform/time";
import { RollupCounter, type RollupPeriod } from "./rollup-counter.ts";
import type { RollupStore } from "./rollups-redis.ts";

const flushMs = 10_000;
/** Less than a minute, so that every minute has a number although a flush may be late. */
const bansMs = 45_000;
/** The last batches may need a connection. */
const closeMs = 3000;
const retryMs = 100;

interface Batch {
  readonly number: number;
  readonly periods: readonly RollupPeriod[];
}

/** Counts sign-ins over time, and adds them to those of the other engines every ten seconds. */
export class Rollups extends RollupCounter {
  readonly #store: RollupStore;
  readonly #countBans: (() => Promise<number>) | undefined;
  readonly #timer = setInterval(() => void this.flush(), flushMs).unref();
  /** Sent again until Redis has confirmed it: without an answer, Redis may have it or not. */
  #sent: Batch | undefined;
  #number = 0;
  #busy: Promise<boolean> | undefined;
  #bansAtMs = Number.NEGATIVE_INFINITY;

  /** @param countBans number of bans in force; undefined without brute-force protection. */
  constructor(store: RollupStore, countBans: (() => Promise<number>) | undefined, clock: Clock) {
    super(clock);
    this.#store = store;
    this.#countBans = countBans;
  }

  /** Writes what waits, one batch after the other. False if Redis does not answer: the rest waits for the next call. Never rejects. */
  flush(): Promise<boolean> {
    this.#busy ??= this.#write()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#busy = undefined;
      });
    return this.#busy;
  }

  /** Writes the rest, also if Redis answers only after a moment. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const until = performance.now() + closeMs;
    const finish = async (): Promise<void> => {
      await this.#busy;
      while (!(await this.flush()) && performance.now() < until) await delay(retryMs);
    };
    await endsWithin(finish(), closeMs);
  }

  async #write(): Promise<void> {
    for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
      await this.#store.add(batch.number, batch.periods);
      this.#sent = undefined;
    }
    const nowMs = this.clock.now();
    if (this.#countBans === undefined || nowMs - this.#bansAtMs < bansMs) return;
    this.#bansAtMs = nowMs;
    await this.#store.setBans(await this.#countBans(), nowMs);
  }

  #next(): Batch | undefined {
    if (this.#sent !== undefined) return this.#sent;
    const periods = this.take();
    if (periods.length === 0) return undefined;
    this.#number += 1;
    this.#sent = { number: this.#number, periods };
    return this.#sent;
  }
}
