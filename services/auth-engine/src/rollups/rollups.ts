import type { Clock } from "@postern/shared/platform/time";
import { BatchWriter } from "./batch-writer.ts";
import { RollupCounter, type RollupPeriod } from "./rollup-counter.ts";
import type { RollupStore } from "./rollups-redis.ts";

/** Less than a minute, so that every minute has a number although a flush may be late. */
const bansMs = 45_000;

/** Counts sign-ins over time, and adds them to those of the other engines every ten seconds. */
export class Rollups extends RollupCounter {
  readonly #store: RollupStore;
  readonly #countBans: (() => Promise<number>) | undefined;
  readonly #writer: BatchWriter<RollupPeriod>;
  #bansAtMs = Number.NEGATIVE_INFINITY;

  /** @param countBans number of bans in force; undefined without brute-force protection. */
  constructor(store: RollupStore, countBans: (() => Promise<number>) | undefined, clock: Clock) {
    super(clock);
    this.#store = store;
    this.#countBans = countBans;
    this.#writer = new BatchWriter({ take: () => this.take(), send: store.add, finish: () => this.#writeBans() });
  }

  /** Writes what waits. False if Redis does not answer. Never rejects. */
  flush(): Promise<boolean> {
    return this.#writer.flush();
  }

  /** Writes the rest, also if Redis answers only after a moment. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  async #writeBans(): Promise<void> {
    const nowMs = this.clock.now();
    if (this.#countBans === undefined || nowMs - this.#bansAtMs < bansMs) return;
    this.#bansAtMs = nowMs;
    await this.#store.setBans(await this.#countBans(), nowMs);
  }
}
