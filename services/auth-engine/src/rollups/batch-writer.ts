import { setTimeout as delay } from "node:timers/promises";
import { endsWithin } from "@postern/shared/platform/concurrency";

const flushMs = 10_000;
/** The last batches may need a connection. */
const closeMs = 3000;
const retryMs = 100;

/** Adds a batch once, however often it is sent. A batch has a higher number than those before it. */
export type SendBatch<Part> = (batch: number, parts: readonly Part[]) => Promise<void>;

interface BatchWriterDeps<Part> {
  /** Runs before the first batch of a flush. */
  readonly prepare?: () => Promise<void>;
  /** What belongs to the next batch; empty if everything was taken. */
  readonly take: () => readonly Part[];
  readonly send: SendBatch<Part>;
  /** Runs after the last batch. */
  readonly finish?: () => Promise<void>;
}

/** Adds what an engine counts to what the others count in Redis, every ten seconds. */
export class BatchWriter<Part> {
  readonly #deps: BatchWriterDeps<Part>;
  readonly #timer = setInterval(() => void this.flush(), flushMs).unref();
  /** Sent again until Redis has confirmed it: without an answer, Redis may have it or not. */
  #sent: { readonly number: number; readonly parts: readonly Part[] } | undefined;
  #number = 0;
  #busy: Promise<boolean> | undefined;

  constructor(deps: BatchWriterDeps<Part>) {
    this.#deps = deps;
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
    const { prepare, send, finish } = this.#deps;
    await prepare?.();
    for (let batch = this.#next(); batch !== undefined; batch = this.#next()) {
      await send(batch.number, batch.parts);
      this.#sent = undefined;
    }
    await finish?.();
  }

  #next() {
    if (this.#sent !== undefined) return this.#sent;
    const parts = this.#deps.take();
    if (parts.length === 0) return undefined;
    this.#number += 1;
    this.#sent = { number: this.#number, parts };
    return this.#sent;
  }
}
