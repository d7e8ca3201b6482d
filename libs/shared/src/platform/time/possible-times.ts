import type { Clock } from "./clock.ts";

/** What time it may be, where two clocks can disagree because one of them was set. */
export interface PossibleTimes {
  readonly earliest: Clock;
  readonly latest: Clock;
}

/**
 * A token that is valid by either clock is accepted: one wrong clock must not lock its holders out. `other` counts once it is
 * measured.
 */
export function possibleTimes(clock: Clock, other: Clock & { readonly isMeasured: () => boolean }): PossibleTimes {
  const by = (choose: (left: number, right: number) => number): Clock => ({
    now: () => (other.isMeasured() ? choose(clock.now(), other.now()) : clock.now()),
  });
  return { earliest: by(Math.min), latest: by(Math.max) };
}
