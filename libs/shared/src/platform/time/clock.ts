/** Wall-clock time; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * For deadlines and durations: it runs on when the wall clock is set, and differs from it by the sum of all such steps since the process
 * started. Its times mean something in this process only.
 */
export const steadyClock: Clock = { now: () => Math.floor(performance.timeOrigin + performance.now()) };
