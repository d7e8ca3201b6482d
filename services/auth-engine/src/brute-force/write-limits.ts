import { createHotCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";

const maxNotes = 16_384;

/** Limits writes that may be skipped for a while without harm. */
export function createWriteThrottle(clock: Clock, everyMs: number) {
  let lastMs = createHotCache<number>(maxNotes);
  const isDue = (key: string): boolean => clock.now() - (lastMs.get(key) ?? 0) >= everyMs;
  const mark = (key: string): void => lastMs.set(key, clock.now());
  return {
    /** Whether the interval has passed since the last mark. */
    isDue,
    mark,
    /** Says whether the key is due, and marks it if so. */
    takeIfDue: (key: string): boolean => {
      const due = isDue(key);
      if (due) mark(key);
      return due;
    },
    /** Everything is due again. */
    clear: (): void => {
      lastMs = createHotCache(maxNotes);
    },
  };
}

export type WriteThrottle = ReturnType<typeof createWriteThrottle>;

/**
 * Limit of guesses per window and engine that are stored under names which attackers may have chosen. Such names would
 * otherwise fill Redis.
 */
const maxChosenNames = 20_000;

/** Whether one more such guess may be stored in this window; each call takes one from the limit. */
export function createChosenNames(clock: Clock, windowMs: number): () => boolean {
  let endsMs = 0;
  let left = 0;
  return () => {
    const now = clock.now();
    if (now >= endsMs) {
      endsMs = now + windowMs;
      left = maxChosenNames;
    }
    left -= 1;
    return left >= 0;
  };
}
