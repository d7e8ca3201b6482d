import type { SignInStep } from "../metrics.ts";

/** A sign-in through the pages that failed, for the operator to whom a user reports its reference. */
export interface FailedSignIn {
  readonly reference: string;
  readonly session: string;
  readonly timeMs: number;
  readonly step: SignInStep;
  readonly outcome: "denied" | "blocked" | "throttled" | "undecided";
  readonly reason: string;
  readonly rule?: string | undefined;
  /** Set only if a backend has the account, because a name that was merely typed may be a password. */
  readonly account?: string | undefined;
  readonly clientIp: string;
  readonly kind: string;
  readonly client?: string | undefined;
}

export interface FailedSignIns {
  /** Removes the oldest entries when there are too many. @throws AppError `REDIS_UNAVAILABLE` */
  note(failed: FailedSignIn): Promise<void>;
  /** @throws AppError `REDIS_UNAVAILABLE` */
  find(reference: string): Promise<FailedSignIn | undefined>;
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/**
 * The part of the request's GUID that a page shows: its first 13 characters, short enough to read out, with which the
 * log's `session` begins.
 */
export function referenceOf(session: string): string {
  return guid.test(session) ? session.slice(0, 13).toLowerCase() : session;
}
