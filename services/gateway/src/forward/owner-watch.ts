/**
 * Detects a service that has died while requests wait for it. A frozen process or a lost machine accepts connections or drops packets and
 * never answers; a slow answer must not be mistaken for that. When a request has waited for 1 s, a trivial request on a separate connection
 * tests whether the owner responds at all. The waiting requests are failed only if it is not answered within 2.5 s. A frozen owner
 * therefore costs a client less than 4 s, and a long operation of a live owner is not interrupted.
 */
export interface OwnerWatch {
  /** Registers a waiting request; the returned function ends that. `giveUp` is called at most once. */
  readonly waits: (giveUp: () => void) => () => void;
  readonly close: () => void;
}

export interface OwnerWatchDeps {
  /** Resolves when the owner responds: any answer, or a refused connection. Rejects otherwise; the signal aborts it. */
  readonly probe: (signal: AbortSignal) => Promise<void>;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** Receives the number of requests that were failed. */
  readonly onSilent: (requests: number) => void;
}

export const ownerWatchTickMs = 250;
/** How long a request waits before its owner is probed. */
const suspiciousAfterMs = 1000;
/**
 * Time for the owner to answer the probe, in ticks. Ticks are late when our own event loop is blocked, so that our stall is not mistaken
 * for the owner's.
 */
const probeTicks = 10;

export function createOwnerWatch({ probe, nowMs, onSilent }: OwnerWatchDeps): OwnerWatch {
  const waiting = new Map<object, { readonly sinceMs: number; readonly giveUp: () => void }>();
  let probing: { ticksLeft: number; readonly abort: AbortController } | undefined;
  let provedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const longWaiting = (): [object, { readonly giveUp: () => void }][] => {
    const beganBefore = nowMs() - suspiciousAfterMs;
    return [...waiting].filter(([, { sinceMs }]) => sinceMs <= beganBefore);
  };
  const startProbe = (): void => {
    const abort = new AbortController();
    const current = { ticksLeft: probeTicks, abort };
    probing = current;
    const proved = (): void => {
      if (probing !== current) return;
      probing = undefined;
      provedMs = nowMs();
    };
    probe(abort.signal).then(proved, () => undefined);
  };
  const giveUp = (): void => {
    probing?.abort.abort();
    probing = undefined;
    const abandoned = longWaiting();
    for (const [key, request] of abandoned) {
      waiting.delete(key);
      request.giveUp();
    }
    if (abandoned.length > 0) onSilent(abandoned.length);
  };
  const tick = (): void => {
    if (probing !== undefined) {
      probing.ticksLeft -= 1;
      if (probing.ticksLeft === 0) giveUp();
    } else if (nowMs() - provedMs >= suspiciousAfterMs && longWaiting().length > 0) {
      startProbe();
    }
    if (waiting.size === 0 && probing === undefined) {
      clearInterval(timer);
      timer = undefined;
    }
  };

  return {
    waits(onAbandoned) {
      const key = {};
      waiting.set(key, { sinceMs: nowMs(), giveUp: onAbandoned });
      timer ??= setInterval(tick, ownerWatchTickMs).unref();
      return () => void waiting.delete(key);
    },
    close() {
      clearInterval(timer);
      probing?.abort.abort();
      waiting.clear();
    },
  };
}
