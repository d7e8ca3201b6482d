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
