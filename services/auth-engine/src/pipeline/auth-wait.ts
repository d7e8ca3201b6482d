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

/** The longer of two waits; 0, which ends the session, is the longest. */
function longerWait(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one === 0 || other === 0 ? 0 : Math.max(one, other);
}

/** Adds the wait to a denial, unless another server asked for a longer one. `attempt` is the caller's counter and starts at 1 for each session. */
export function withAuthWait(
  decision: AuthDecision,
  attempt: number | undefined,
  settings: AuthWaitSettings,
): AuthDecision {
  if (decision.outcome !== "fail" && decision.outcome !== "blocked") return decision;
  const waitSeconds = longerWait(authWaitSeconds(attempt ?? 1, settings), decision.waitSeconds);
  return waitSeconds === undefined ? decision : { ...decision, waitSeconds };
}
