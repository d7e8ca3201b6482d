export const serviceWatchTickMs = 250;
/** How long a request waits before its service is probed. */
const suspiciousAfterMs = 1000;
/**
 * Time for the service to answer the probe, in ticks. Ticks are late when our own event loop is blocked, so that our stall is not mistaken
 * for the service's.
 */
const probeTicks = 10;

/**
 * Detects a service that has died while requests wait for it. A frozen process or a lost machine accepts connections or drops packets and
 * never answers; a slow answer must not be mistaken for that. When a request has waited for 1 s, a trivial request on a separate connection
 * tests whether the service responds at all. The waiting requests are failed only if it is not answered within 2.5 s. A frozen service
 * therefore costs a client less than 4 s, and a long operation of a live service is not interrupted.
 */
export class ServiceWatch {
  readonly #waiting = new Map<object, { readonly sinceMs: number; readonly giveUp: () => void }>();
  #probing: { ticksLeft: number; readonly abort: AbortController } | undefined;
  #provedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #probe: (signal: AbortSignal) => Promise<void>;
  readonly #nowMs: () => number;
  readonly #onSilent: (requests: number) => void;

  /**
   * @param probe resolves when the service responds: any answer, or a refused connection; rejects otherwise; the signal aborts it
   * @param nowMs monotonic milliseconds
   * @param onSilent receives the number of requests that were failed
   */
  constructor(
    probe: (signal: AbortSignal) => Promise<void>,
    nowMs: () => number,
    onSilent: (requests: number) => void,
  ) {
    this.#probe = probe;
    this.#nowMs = nowMs;
    this.#onSilent = onSilent;
  }

  /** Registers a waiting request; the returned function ends that. `giveUp` is called at most once. */
  waits(giveUp: () => void): () => void {
    const key = {};
    this.#waiting.set(key, { sinceMs: this.#nowMs(), giveUp });
    this.#timer ??= setInterval(() => this.#tick(), serviceWatchTickMs).unref();
    return () => void this.#waiting.delete(key);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#probing?.abort.abort();
    this.#waiting.clear();
  }

  #longWaiting() {
    const beganBefore = this.#nowMs() - suspiciousAfterMs;
    return [...this.#waiting].filter(([, { sinceMs }]) => sinceMs <= beganBefore);
  }

  #startProbe(): void {
    const current = { ticksLeft: probeTicks, abort: new AbortController() };
    this.#probing = current;
    const proved = (): void => {
      if (this.#probing !== current) return;
      this.#probing = undefined;
      this.#provedMs = this.#nowMs();
    };
    this.#probe(current.abort.signal).then(proved, () => undefined);
  }

  #giveUp(): void {
    this.#probing?.abort.abort();
    this.#probing = undefined;
    const abandoned = this.#longWaiting();
    for (const [key, request] of abandoned) {
      this.#waiting.delete(key);
      request.giveUp();
    }
    if (abandoned.length > 0) this.#onSilent(abandoned.length);
  }

  #tick(): void {
    const probing = this.#probing;
    if (probing !== undefined) {
      probing.ticksLeft -= 1;
      if (probing.ticksLeft === 0) this.#giveUp();
    } else if (this.#nowMs() - this.#provedMs >= suspiciousAfterMs && this.#longWaiting().length > 0) {
      this.#startProbe();
    }
    if (this.#waiting.size > 0 || this.#probing !== undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
