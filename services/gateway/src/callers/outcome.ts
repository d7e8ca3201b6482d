export interface OutcomeRow {
  /** 200 admits the caller. */
  readonly httpStatus: 200 | 401 | 403 | 429 | 503;
  /** `none` if gRPC has no such outcome. */
  readonly grpcCode:
    | "OK"
    | "UNAUTHENTICATED"
    | "PERMISSION_DENIED"
    | "UNAVAILABLE"
    | "CANCELED"
    | "DEADLINE_EXCEEDED"
    | "none";
  /** Rejections of wrong credentials are delayed by 300 ms. */
  readonly delayedOnHttp: boolean;
  readonly delayedOnGrpc: boolean;
  readonly retryAfter: boolean;
  /** Takes a token from the address's failure budget. */
  readonly spendsBudget: boolean;
  /** The fixed reason in the single warning of a rejection; `none` if nothing was evaluated or nothing is wrong. */
  readonly logReason: string;
}

const immediate = { delayedOnHttp: false, delayedOnGrpc: false, retryAfter: false, spendsBudget: false } as const;

const admitted = { ...immediate, httpStatus: 200, grpcCode: "OK", logReason: "none" } as const satisfies OutcomeRow;

const rejected = {
  httpStatus: 401,
  grpcCode: "UNAUTHENTICATED",
  delayedOnHttp: true,
  delayedOnGrpc: true,
  retryAfter: false,
  spendsBudget: true,
} as const satisfies Omit<OutcomeRow, "logReason">;

const forbidden = { ...immediate, httpStatus: 403, grpcCode: "PERMISSION_DENIED" } as const;

/** A temporary failure is never reported as wrong credentials. */
const undecided = { ...immediate, httpStatus: 503, grpcCode: "UNAVAILABLE", retryAfter: true } as const;

/**
 * The outcomes of caller authentication as one table. The name of a row is its label in `backchannel_caller_auth_total`.
 */
const callerAuthOutcomes = {
  ok_basic: admitted,
  ok_bearer: admitted,
  /** Developer mode without any `auth.backchannel`. */
  ok_open: admitted,
  missing: { ...rejected, logReason: "missing" },
  /** On custom hooks, which have the per-client limit and no failure budget. */
  missing_on_hook: { ...rejected, ...immediate, grpcCode: "none", logReason: "missing" },
  bad_basic: { ...rejected, logReason: "bad_basic" },
  /** Correct Basic credentials from an address outside the caller's networks: to the caller, the same as wrong ones. */
  foreign_network: { ...rejected, logReason: "foreign_network" },
  /** Unknown, expired, revoked, denylisted or wrongly signed. */
  bad_token: { ...rejected, logReason: "bad_token" },
  /** A valid token that is not an access token for the back channel. */
  wrong_token_type: { ...rejected, delayedOnHttp: false, logReason: "wrong_token_type" },
  /** A valid token that is bound to a key, or was sent as one (RFC 9449): API callers have no way to prove possession. */
  bound_token: { ...rejected, delayedOnHttp: false, logReason: "bound_token" },
  missing_scope: { ...forbidden, spendsBudget: true, logReason: "missing_scope" },
  /** A caller whose list does not contain the operation. It has authenticated, so that no budget is needed. */
  operation_denied: { ...forbidden, logReason: "operation_denied" },
  /** No `auth.backchannel` at all. */
  not_configured: { ...rejected, grpcCode: "UNAVAILABLE", delayedOnGrpc: false, logReason: "not_configured" },
  /** Token state or signing keys are unavailable. */
  unavailable: { ...undecided, logReason: "unavailable" },
  canceled: { ...undecided, grpcCode: "CANCELED", logReason: "canceled" },
  deadline_exceeded: { ...undecided, grpcCode: "DEADLINE_EXCEEDED", logReason: "deadline_exceeded" },
  /** No token is left in the budget: the credentials were not evaluated. */
  budget_exhausted: { ...undecided, httpStatus: 429, grpcCode: "none", logReason: "none" },
} as const satisfies Readonly<Record<string, OutcomeRow>>;

export type CallerAuthOutcome = keyof typeof callerAuthOutcomes;

function isCallerAuthOutcome(name: string): name is CallerAuthOutcome {
  return Object.hasOwn(callerAuthOutcomes, name);
}

export const callerAuthOutcomeNames: readonly CallerAuthOutcome[] =
  Object.keys(callerAuthOutcomes).filter(isCallerAuthOutcome);

export function outcomeRow(outcome: CallerAuthOutcome): OutcomeRow {
  return callerAuthOutcomes[outcome];
}
