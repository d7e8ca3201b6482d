/**
 * What checking a caller can end with: rows of the contract's "Caller rejection outcomes". Everything that follows from
 * a row (status, delay, headers, the label of `backchannel_caller_auth_total`, the reason in the log) is in the table.
 */
export type CallerAuthOutcome = "ok_basic" | "ok_open" | "missing" | "bad_basic" | "not_configured";

export interface OutcomeRow {
  /** 200 lets the caller in. */
  readonly httpStatus: 200 | 401;
  /** Genuine rejections wait 300 ms. */
  readonly delayed: boolean;
}

export const callerAuthOutcomes: Readonly<Record<CallerAuthOutcome, OutcomeRow>> = {
  ok_basic: { httpStatus: 200, delayed: false },
  /** Developer mode without any `auth.backchannel`. */
  ok_open: { httpStatus: 200, delayed: false },
  missing: { httpStatus: 401, delayed: true },
  bad_basic: { httpStatus: 401, delayed: true },
  not_configured: { httpStatus: 401, delayed: true },
};

export const callerAuthOutcomeNames: readonly CallerAuthOutcome[] = [
  "ok_basic",
  "ok_open",
  "missing",
  "bad_basic",
  "not_configured",
];
