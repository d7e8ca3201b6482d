import { createRenewedSet } from "../cache/index.ts";

export interface DelayedResponse {
  /** Responses with the same key share a limit. The key is the API caller's address. */
  readonly key: string;
  readonly ms: number;
  /** Maximum number of delayed responses with this key. */
  readonly maxPerKey: number;
}

export type ResponseDelays = ReturnType<typeof createResponseDelays>;

/** Each one costs a timer and a connection. */
const maxWaiting = 4096;

/** Delays responses on timers. A delayed response occupies no request slot, engine or Redis connection. */
export function createResponseDelays(limit = maxWaiting) {
  const waiting = createRenewedSet<() => void>();
  const perKey = new Map<string, number>();
  let size = 0;
  let hasEnded = false;
  const count = (key: string, by: 1 | -1): void => {
    const now = (perKey.get(key) ?? 0) + by;
    size += by;
    if (now === 0) perKey.delete(key);
    else perKey.set(key, now);
  };
  return {
    /**
     * Calls `answer` once, after the delay or when all delays end. Returns a function that cancels it; returns undefined without calling
     * `answer` when the maximum number is already waiting, so that the response is sent without delay.
     */
    delay: ({ key, ms, maxPerKey }: DelayedResponse, answer: () => void): (() => void) | undefined => {
      if (hasEnded || ms <= 0 || size >= limit || (perKey.get(key) ?? 0) >= maxPerKey) return undefined;
      let isOver = false;
      const finish = (): boolean => {
        if (isOver) return false;
        isOver = true;
        clearTimeout(timer);
        waiting.delete(leave);
        count(key, -1);
        return true;
      };
      const leave = (): void => {
        if (finish()) answer();
      };
      const timer = setTimeout(leave, ms);
      waiting.add(leave);
      count(key, 1);
      return () => void finish();
    },
    /** At shutdown: sends all delayed responses, and delays none from then on. */
    end: (): void => {
      hasEnded = true;
      for (const leave of waiting) leave();
    },
  };
}

/** A promise for `delay`; resolves early when `signal` aborts. */
export function waitForDelay(
  delays: ResponseDelays,
  response: DelayedResponse,
  signal?: AbortSignal,
): Promise<void> | undefined {
  if (signal?.aborted === true) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = delays.delay(response, resolve);
  if (cancel === undefined) return undefined;
  const leave = (): void => {
    cancel();
    resolve();
  };
  signal?.addEventListener("abort", leave, { once: true });
  return promise.finally(() => signal?.removeEventListener("abort", leave));
}
