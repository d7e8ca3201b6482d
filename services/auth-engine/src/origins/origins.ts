import type { Clock } from "@postern/shared/platform/time";
import type { Places } from "../risk/places.ts";
import { BatchWriter } from "../rollups/batch-writer.ts";
import { OriginCounter, type OriginPeriod } from "./origin-counter.ts";
import type { OriginStore } from "./origins-redis.ts";

/** Counts where sign-ins come from, and adds that to what the other engines count every ten seconds. */
export class Origins extends OriginCounter {
  readonly #writer: BatchWriter<OriginPeriod>;

  constructor(store: OriginStore, places: Pick<Places, "of" | "ownerOf">, clock: Clock) {
    super(places, clock);
    this.#writer = new BatchWriter({ prepare: () => this.locate(), take: () => this.take(), send: store.add });
  }

  /** Writes the rest, also if Redis answers only after a moment. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}
