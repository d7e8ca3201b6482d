import type { Clock } from "@postern/shared/platform/time";

/** Limits for one server: consecutive failures that open the breaker, time until a trial, concurrent trials. */
export interface BreakerSettings {
  readonly failureThreshold: number;
  readonly cooldownMs: number;
  readonly halfOpenMax: number;
}

export type BreakerState = "closed" | "open" | "half_open";

/**
 * Guards one server. Closed: all requests pass; `failureThreshold` consecutive failures open it. Open: no request
 * passes for `cooldownMs`. Half-open: up to `halfOpenMax` trials pass; the first success closes it, a failure opens it
 * again.
 */
export interface CircuitBreaker {
  state(): BreakerState;
  /** Whether a new request may pass; in the half-open state it uses one of the trials. */
  tryPass(): boolean;
  /** Results of work that began before the breaker opened are ignored. */
  readonly succeeded: () => void;
  readonly failed: () => void;
  /** Opens immediately, for failures that further attempts would make worse (a refused service account). */
  readonly trip: () => void;
  /** A health check outside the breaker succeeded. */
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
