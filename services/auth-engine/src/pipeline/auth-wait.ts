import type { AuthDecision } from "@postern/shared/contracts";

/** `auth.pipeline.wait_delay` and `max_login_attempts`. */
export interface AuthWaitSettings {
  /** Seconds; 0 asks for no wait at all. */
  readonly waitDelay: number;
  readonly maxLoginAttempts: number;
}

/**
 * How long the next attempt should wait, in seconds: 1 after the first failure, growing evenly to `waitDelay`. At
 * `maxLoginAttempts` it is 0, which makes nginx close the session: its manual asks for an end of the waiting.
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

/** The decision with its wait, where it is a denial. `attempt` is the caller's counter: 1 is a session's first. */
export function withAuthWait(
  decision: AuthDecision,
  attempt: number | undefined,
  settings: AuthWaitSettings,
): AuthDecision {
  if (decision.outcome !== "fail" && decision.outcome !== "blocked") return decision;
  const waitSeconds = authWaitSeconds(attempt ?? 1, settings);
  return waitSeconds === undefined ? decision : { ...decision, waitSeconds };
}
