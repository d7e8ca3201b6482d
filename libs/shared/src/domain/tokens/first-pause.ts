const firstPauseMs = 100;
/** As a share of the time spent waiting for the source. */
const share = 0.1;

/**
 * The pause before a key source that has never answered is queried again: a tenth of the time since the start, at most `maxMs`. Keys are
 * therefore available within about a second of a source that took ten seconds to start. Randomised, because all replicas of a service start
 * together.
 *
 * @param random from 0 to 1
 */
export function firstPause(waitedMs: number, maxMs: number, random: number): number {
  const pause = Math.min(maxMs, Math.max(firstPauseMs, waitedMs * share));
  return pause * (0.5 + random / 2);
}
