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

/**
 * A token that is valid by either clock is accepted: one wrong clock must not lock its holders out. `other` counts once it is
 * measured.
 */
export function possibleTimes(clock: Clock, other: Clock & { readonly isMeasured: () => boolean }) {
  const by = (choose: (left: number, right: number) => number): Clock => ({
    now: () => (other.isMeasured() ? choose(clock.now(), other.now()) : clock.now()),
  });
  return { earliest: by(Math.min), latest: by(Math.max) };
}

/** What time it may be, where two clocks can disagree because one of them was set. */
export type PossibleTimes = ReturnType<typeof possibleTimes>;
