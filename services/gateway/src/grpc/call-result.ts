import { status } from "@grpc/grpc-js";
import type { AuthDecision } from "@postern/shared/contracts";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import type { AppError, ErrorKind } from "@postern/shared/platform/errors";
import { type CallerAuthOutcome, type OutcomeRow, outcomeRow } from "../callers/outcome.ts";
import { refusalStatus } from "../dialects/renderers.ts";
import type { DelayedDecision } from "../limits/account-delays.ts";

type RefusalCode = Exclude<status, typeof status.OK>;

/** How a call ends: with a message, or with a code other than OK. */
export type CallResult =
  | {
      readonly code: typeof status.OK;
      readonly message: object;
      readonly authStatus: string;
      readonly contentLanguage?: string | undefined;
      /** Set if the answer may be delayed. */
      readonly delayed?: DelayedDecision | undefined;
      /** Writes the decision to the log, with the delay of the answer in milliseconds. */
      readonly written?: ((delayedMs: number) => void) | undefined;
    }
  | { readonly code: RefusalCode; readonly details: string };

/** A row without a gRPC code cannot occur here; if it does, it is a bug. */
const codeOfCaller: Readonly<Record<Exclude<OutcomeRow["grpcCode"], "OK">, RefusalCode>> = {
  UNAUTHENTICATED: status.UNAUTHENTICATED,
  PERMISSION_DENIED: status.PERMISSION_DENIED,
  UNAVAILABLE: status.UNAVAILABLE,
  CANCELED: status.CANCELLED,
  DEADLINE_EXCEEDED: status.DEADLINE_EXCEEDED,
  none: status.INTERNAL,
};

const codeOfKind: Readonly<Record<ErrorKind, RefusalCode>> = {
  caller: status.INVALID_ARGUMENT,
  unavailable: status.UNAVAILABLE,
  bug: status.INTERNAL,
};

function callerDetails(code: RefusalCode, outcome: CallerAuthOutcome, baseScope: string): string {
  if (outcome === "operation_denied") return "the operation is not among those of the caller";
  if (code === status.UNAUTHENTICATED) return "caller authentication failed";
  if (code === status.PERMISSION_DENIED) return `missing scope ${baseScope}`;
  return "caller authentication could not be decided";
}

/** The gRPC error of a caller authentication outcome; undefined for an admitted caller. */
export function callerRefusal(outcome: CallerAuthOutcome, baseScope: string): CallResult | undefined {
  const { grpcCode } = outcomeRow(outcome);
  if (grpcCode === "OK") return undefined;
  const code = codeOfCaller[grpcCode];
  return { code, details: callerDetails(code, outcome, baseScope) };
}

/** An error as a call result, if the response message cannot contain a decision. */
export function errorResult(error: AppError): CallResult {
  const code = error.code === "LIST_TOO_LONG" ? status.RESOURCE_EXHAUSTED : codeOfKind[error.row.kind];
  return { code, details: error.publicMessage };
}

/** Values of the enum in the proto file. */
const decisionNumbers = { ok: 1, fail: 2, blocked: 2, tempfail: 3 } as const satisfies Record<
  AuthDecision["outcome"],
  number
>;

/** Metadata is printable ASCII; the message contains the full text. */
export function metadataText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, "?");
}

/** `AuthResponse` of the proto file: a denial is a successful call. */
export function decisionResult(decision: AuthDecision, session: string, releasable: AttributeFilter): CallResult {
  const base = { session, decision: decisionNumbers[decision.outcome] };
  if (decision.outcome === "ok") {
    const { accountField, totpSecretField, backend, attributes } = decision;
    const released = Object.entries(releasable(attributes)).map(([name, values]) => [name, { values }]);
    const message = {
      ...base,
      ok: true,
      account_field: accountField,
      totp_secret_field: totpSecretField,
      backend,
      attributes: Object.fromEntries(released),
      status_message: "OK",
    };
    return { code: status.OK, message, authStatus: "OK" };
  }
  const { message: text = "FAIL" } = decision;
  return {
    code: status.OK,
    contentLanguage: decision.language,
    message: { ...base, ok: false, status_message: text, ...(decision.outcome === "tempfail" && { error: text }) },
    authStatus: refusalStatus(metadataText(text)),
  };
}
