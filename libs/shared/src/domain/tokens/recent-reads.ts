import { createHotCache } from "../../platform/cache/hot-cache.ts";
import { createDeadlines, notListed, type Timed } from "../../platform/concurrency/deadlines.ts";
import type { Clock } from "../../platform/time/clock.ts";

export interface RecentReadsOptions<Value> {
  readonly read: (key: string) => Promise<Value>;
  readonly clock: Clock;
  /** How long a result is valid; from half that time on it is refreshed in the background. */
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
  readonly onError: (error: unknown) => void;
}

/** Reads each key at most once at a time, for all concurrent callers. */
export function createRecentReads<Value>(options: RecentReadsOptions<Value>) {
  const { read, clock, ttlMs, timeoutMs, maxEntries, onError } = options;
  const reads = createHotCache<{ readonly value: Value; readonly atMs: number }>(maxEntries);
  const pending = new Map<string, Promise<Value | undefined>>();
  const deadlines = createDeadlines();

  const start = (key: string): Promise<Value | undefined> => {
    const atMs = clock.now();
    const { promise, resolve } = Promise.withResolvers<Value | undefined>();
    let isOpen = true;
    const end = (value: Value | undefined): void => {
      isOpen = false;
      deadlines.remove(timed);
      pending.delete(key);
      resolve(value);
    };
    const fail = (error: unknown): void => {
      if (!isOpen) return;
      onError(error);
      end(undefined);
    };
    const timed: Timed = {
      expiresAtMs: 0,
      slot: notListed,
      previous: undefined,
      next: undefined,
      expire: () => fail(new Error(`no answer within ${timeoutMs} ms`)),
    };
    deadlines.insert(timed, timeoutMs);
    pending.set(key, promise);
    read(key).then((value) => {
      // A later read may have been faster than one that was given up.
      if (!isOpen) return;
      reads.set(key, { value, atMs });
      end(value);
    }, fail);
    return promise;
  };
  const ask = (key: string): Promise<Value | undefined> => pending.get(key) ?? start(key);
  return {
    /** Synchronous if a recent result is still valid; undefined if the read failed. Never rejects. */
    at: (key: string): Value | Promise<Value | undefined> => {
      const last = reads.get(key);
      if (last === undefined) return ask(key);
      const ageMs = clock.now() - last.atMs;
      if (ageMs >= ttlMs) return ask(key);
      if (ageMs >= ttlMs / 2) void ask(key);
      return last.value;
    },
  };
}
