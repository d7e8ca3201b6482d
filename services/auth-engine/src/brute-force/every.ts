import { createBoundedCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";

const maxNotes = 16_384;

/** Limits writes that may be skipped for a while without harm. */
export interface Every {
  /** Whether the interval has passed since the last mark. */
  look(key: string): boolean;
  mark(key: string): void;
  /** Checks, and marks if it has passed. */
  take(key: string): boolean;
}

export function createEvery(clock: Clock, everyMs: number): Every {
  const lastMs = createBoundedCache<number>({ maxEntries: maxNotes, evict: "oldest" });
  const look = (key: string): boolean => clock.now() - (lastMs.get(key) ?? 0) >= everyMs;
  const mark = (key: string): void => lastMs.set(key, clock.now());
  return {
    look,
    mark,
    take: (key) => {
      const due = look(key);
      if (due) mark(key);
      return due;
    },
  };
}
