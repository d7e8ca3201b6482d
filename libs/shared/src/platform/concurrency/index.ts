export { type BreakerSettings, type CircuitBreaker, createCircuitBreaker } from "./circuit-breaker.ts";
export {
  abortAfter,
  type CallerDeadline,
  type DeadlineWatch,
  endsWithin,
  remainingMs,
  throwIfOver,
  unlessAborted,
  untilOver,
  type Wait,
  watchDeadline,
  within,
} from "./deadline.ts";
export { createResponseDelays, type DelayedResponse, type ResponseDelays, waitForDelay } from "./response-delays.ts";
