import type { AuthDecision } from "@postern/shared/contracts";

/** `auth.pipeline.wait_delay` and `max_login_attempts`. */
export interface AuthWaitSettings {
  /** In seconds; 0 disables the wait. */
  readonly waitDelay: number;
  readonly maxLoginAttempts: number;
}

/**
 * Seconds to wait before the next attempt: 1 after the first failure, growing linearly to `waitDelay`. From
 * `maxLoginAttempts` on it is 0, which makes nginx close the session.
 */
export function authWaitSeconds(
  attempt: number,
  { waitDelay, maxLoginAttempts }: AuthWaitSettings,
): number | undefined {
  if (waitDelay === 0) return undefined;
  const current = Math.max(1, attempt);
  if (current >= maxLoginAttempts) return 0;
  const steps = Math.max(1, maxLoginAttempts - 2);
  return Math.min(waitDelay, 1 + Math.round(((waitDelay - 1) * (current - 1)) / steps));
}

/** Adds the wait to a denial. `attempt` is the caller's counter and starts at 1 for each session. */
export function withAuthWait(
  decision: AuthDecision,
  attempt: number | undefined,
  settings: AuthWaitSettings,
): AuthDecision {
  if (decision.outcome !== "fail" && decision.outcome !== "blocked") return decision;
  const waitSeconds = authWaitSeconds(attempt ?? 1, settings);
  return waitSeconds === undefined ? decision : { ...decision, waitSeconds };
}
