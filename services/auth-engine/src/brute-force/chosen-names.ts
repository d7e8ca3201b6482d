import type { Clock } from "@postern/shared/platform/time";

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
