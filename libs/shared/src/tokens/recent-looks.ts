import type { Clock } from "../time/clock.ts";
import { createBoundedCache } from "./bounded-cache.ts";
import { createOverdueGuard } from "./overdue-guard.ts";

/** What was read a short while ago, by key. */
export interface RecentLooks<Value> {
  /** At once where a look of a short while ago still counts; undefined when nobody could be asked. Never rejects. */
  at(key: string): Value | Promise<Value | undefined>;
}

export interface RecentLooksOptions<Value> {
  readonly read: (key: string) => Promise<Value>;
  readonly clock: Clock;
  /** How long one look counts; half-way it is renewed behind the answer. */
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
  readonly onError: (error: unknown) => void;
}

/** One reading for each key at a time, for all who ask for it meanwhile. */
export function createRecentLooks<Value>(options: RecentLooksOptions<Value>): RecentLooks<Value> {
  const { read, clock, ttlMs, timeoutMs, maxEntries, onError } = options;
  const looks = createBoundedCache<{ readonly value: Value; readonly atMs: number }>(maxEntries);
  const pending = new Map<string, Promise<Value | undefined>>();
  const overdue = createOverdueGuard(timeoutMs);

  const start = (key: string): Promise<Value | undefined> => {
    const atMs = clock.now();
    const { promise, resolve } = Promise.withResolvers<Value | undefined>();
    let isOpen = true;
    const end = (value: Value | undefined): void => {
      isOpen = false;
      overdue.remove(giveUp);
      pending.delete(key);
      resolve(value);
    };
    const fail = (error: unknown): void => {
      if (!isOpen) return;
      onError(error);
      end(undefined);
    };
    const giveUp = (): void => fail(new Error(`no answer within ${timeoutMs} ms`));
    overdue.add(giveUp);
    pending.set(key, promise);
    read(key).then((value) => {
      // A later reading may have been faster than one that was given up.
      if (!isOpen) return;
      looks.set(key, { value, atMs });
      end(value);
    }, fail);
    return promise;
  };
  const ask = (key: string): Promise<Value | undefined> => pending.get(key) ?? start(key);
  return {
    at: (key) => {
      const last = looks.get(key);
      if (last === undefined) return ask(key);
      const ageMs = clock.now() - last.atMs;
      if (ageMs >= ttlMs) return ask(key);
      if (ageMs >= ttlMs / 2) void ask(key);
      return last.value;
    },
  };
}
