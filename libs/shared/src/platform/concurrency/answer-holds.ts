import { createRenewedSet } from "../cache/index.ts";

export interface Held {
  /** Answers with the same key share a limit. The key is the API caller's address. */
  readonly key: string;
  readonly ms: number;
  /** Maximum number of delayed answers with this key. */
  readonly maxPerKey: number;
}

/** Delays answers on timers. A delayed answer occupies no request slot, engine or Redis connection. */
export interface AnswerHolds {
  /**
   * Calls `answer` once, after the delay or when all holds end. Returns a function that cancels it; returns undefined without calling
   * `answer` when the maximum number is already waiting, so that the answer is sent without delay.
   */
  hold(held: Held, answer: () => void): (() => void) | undefined;
  /** At shutdown: sends all delayed answers, and delays none from then on. */
  end(): void;
}

/** Each one costs a timer and a connection. */
const maxWaiting = 4096;

interface Waiting {
  readonly leave: () => void;
}

export function createAnswerHolds(limit = maxWaiting): AnswerHolds {
  const waiting = createRenewedSet<Waiting>();
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
    hold: ({ key, ms, maxPerKey }, answer) => {
      if (hasEnded || ms <= 0 || size >= limit || (perKey.get(key) ?? 0) >= maxPerKey) return undefined;
      let isOver = false;
      const finish = (): boolean => {
        if (isOver) return false;
        isOver = true;
        clearTimeout(timer);
        waiting.delete(one);
        count(key, -1);
        return true;
      };
      const one: Waiting = {
        leave: () => {
          if (finish()) answer();
        },
      };
      const timer = setTimeout(one.leave, ms);
      waiting.add(one);
      count(key, 1);
      return () => void finish();
    },
    end: () => {
      hasEnded = true;
      for (const one of waiting) one.leave();
    },
  };
}

/** A promise for `hold`; resolves early when `signal` aborts. */
export function waitHeld(holds: AnswerHolds, held: Held, signal?: AbortSignal): Promise<void> | undefined {
  if (signal?.aborted === true) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = holds.hold(held, resolve);
  if (cancel === undefined) return undefined;
  const leave = (): void => {
    cancel();
    resolve();
  };
  signal?.addEventListener("abort", leave, { once: true });
  return promise.finally(() => signal?.removeEventListener("abort", leave));
}
