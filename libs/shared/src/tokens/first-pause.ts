const firstPauseMs = 100;
/** Of the time that a source has been waited for. */
const share = 0.1;

/**
 * The pause before a source of keys that was never read is asked again: a tenth of the time since the start, so that
 * keys are there within about a second of a source that took ten, and at most `maxMs`. Spread, as all replicas of a
 * service start together.
 *
 * @param random from 0 to 1
 */
export function firstPause(waitedMs: number, maxMs: number, random: number): number {
  const pause = Math.min(maxMs, Math.max(firstPauseMs, waitedMs * share));
  return pause * (0.5 + random / 2);
}
