import type { Clock } from "../time/clock.ts";

/** Limits for one server: consecutive failures that open the breaker, time until a trial, concurrent trials. */
export interface BreakerSettings {
  readonly failureThreshold: number;
  readonly cooldownMs: number;
  readonly halfOpenMax: number;
}

export type BreakerState = "closed" | "open" | "half_open";

/**
 * Guards one server or one use of it. Closed: all requests pass; `failureThreshold` consecutive failures open it. Open: no request
 * passes for `cooldownMs`. Half-open: up to `halfOpenMax` trials pass; the first success closes it, a failure opens it
 * again.
 */
export function createCircuitBreaker(settings: BreakerSettings, clock: Clock) {
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
    /** Whether a new request may pass; in the half-open state it uses one of the trials. */
    tryPass: (): boolean => {
      const now = state();
      if (now !== "half_open") return now === "closed";
      if (trials >= settings.halfOpenMax) return false;
      trials += 1;
      return true;
    },
    /** Results of work that began before the breaker opened are ignored, as they are in `failed`. */
    succeeded: (): void => {
      if (openedAt === undefined) failures = 0;
      else if (trials > 0) close();
    },
    failed: (): void => {
      failures += 1;
      if (openedAt === undefined ? failures >= settings.failureThreshold : trials > 0) open();
    },
    /** Opens immediately, for failures that further attempts would make worse (a refused service account). */
    trip: (): void => {
      failures += 1;
      open();
    },
    /** A health check outside the breaker succeeded. */
    recovered: close,
    get failures(): number {
      return failures;
    },
  };
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;
