import type { Clock } from "@postern/shared/time";

/** Of one server: consecutive failures that open it, time until a trial, trials at once. */
export interface BreakerSettings {
  readonly failureThreshold: number;
  readonly cooldownMs: number;
  readonly halfOpenMax: number;
}

export type BreakerState = "closed" | "open" | "half_open";

/**
 * Guards one server. Closed: everything may pass; `failureThreshold` failures in a row open it. Open: nothing passes
 * until `cooldownMs` is over. Half-open: `halfOpenMax` trials may pass; the first success closes it, a failure opens
 * it again.
 */
export interface CircuitBreaker {
  state(): BreakerState;
  /** Whether something new may be tried; while half-open it takes one of the trials. */
  tryPass(): boolean;
  /** Late news of work that began before the breaker opened decide nothing. */
  readonly succeeded: () => void;
  readonly failed: () => void;
  /** Opens at once, for failures that more attempts can only make worse (a refused service account). */
  readonly trip: () => void;
  /** Somebody asked the server outside the breaker and it answered. */
  readonly recovered: () => void;
  readonly failures: number;
}

export function createCircuitBreaker(settings: BreakerSettings, clock: Clock): CircuitBreaker {
  let failures = 0;
  let openedAt: number | undefined;
  let trials = 0;

  const open = (): void => {
    openedAt = clock.now();
    trials = 0;
  };
  const close = (): void => {
    openedAt = undefined;
    failures = 0;
    trials = 0;
  };
  const state = (): BreakerState => {
    if (openedAt === undefined) return "closed";
    return clock.now() - openedAt >= settings.cooldownMs ? "half_open" : "open";
  };

  return {
    state,
    tryPass: () => {
      const now = state();
      if (now !== "half_open") return now === "closed";
      if (trials >= settings.halfOpenMax) return false;
      trials += 1;
      return true;
    },
    succeeded: () => {
      if (openedAt === undefined) failures = 0;
      else if (trials > 0) close();
    },
    failed: () => {
      failures += 1;
      if (openedAt === undefined ? failures >= settings.failureThreshold : trials > 0) open();
    },
    trip: () => {
      failures += 1;
      open();
    },
    recovered: close,
    get failures() {
      return failures;
    },
  };
}
