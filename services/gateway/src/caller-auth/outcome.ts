/**
 * What checking a caller can end with: rows of the contract's "Caller rejection outcomes". Everything that follows from
 * a row (status, delay, headers, the label of `backchannel_caller_auth_total`, the reason in the log) is in the table.
 */
export const callerAuthOutcomeNames = [
  "ok_basic",
  "ok_bearer",
  "ok_open",
  "missing",
  "bad_basic",
  "bad_token",
  "wrong_token_type",
  "missing_scope",
  "not_configured",
  "unavailable",
  "canceled",
  "deadline_exceeded",
] as const;
export type CallerAuthOutcome = (typeof callerAuthOutcomeNames)[number];

export interface OutcomeRow {
  /** 200 lets the caller in. */
  readonly httpStatus: 200 | 401 | 403 | 503;
  /** Genuine rejections wait 300 ms. */
  readonly delayed: boolean;
  /** `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
}

export const callerAuthOutcomes: Readonly<Record<CallerAuthOutcome, OutcomeRow>> = {
  ok_basic: { httpStatus: 200, delayed: false },
  ok_bearer: { httpStatus: 200, delayed: false },
  /** Developer mode without any `auth.backchannel`. */
  ok_open: { httpStatus: 200, delayed: false },
  missing: { httpStatus: 401, delayed: true },
  bad_basic: { httpStatus: 401, delayed: true },
  /** Unknown, expired, revoked, denylisted or wrongly signed. */
  bad_token: { httpStatus: 401, delayed: true },
  /** A good token, but no access token for the back channel. */
  wrong_token_type: { httpStatus: 401, delayed: false },
  missing_scope: { httpStatus: 403, delayed: false },
  not_configured: { httpStatus: 401, delayed: true },
  /** Keys or token state cannot be read: undecided, never a denial. */
  unavailable: { httpStatus: 503, delayed: false, retryAfterSeconds: 1 },
  canceled: { httpStatus: 503, delayed: false },
  deadline_exceeded: { httpStatus: 503, delayed: false },
};
