import type { Clock } from "@postern/shared/platform/time";
import { BatchWriter } from "../rollups/batch-writer.ts";
import { type DomainBatch, DomainCounter } from "./domain-counter.ts";
import type { DomainCountStore } from "./domain-counts-redis.ts";

/** Counts sign-ins by domain, and adds them to those of the other engines every ten seconds. */
export class DomainCounts extends DomainCounter {
  readonly #writer: BatchWriter<DomainBatch>;

  constructor(store: DomainCountStore, clock: Clock) {
    super(clock);
    this.#writer = new BatchWriter({ take: () => this.take(), send: store.add });
  }

  /** Writes the rest, also if Redis answers only after a moment. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}
