/**
 * All errors that cross a boundary between services or reach a caller. `kind` says who is at fault and what the caller can do: `caller`
 * (the request is wrong: 4xx), `unavailable` (no decision was possible: a temporary failure, retry), `bug`. `publicMessage` is what the
 * caller reads. Each code has a section in docs/operate/failure-modes.md; a test compares the two. A retired code moves to
 * `reservedCodes` and is never used again.
 */
export type ErrorKind = "caller" | "unavailable" | "bug";

export interface ErrorCodeRow {
  readonly kind: ErrorKind;
  readonly httpStatus: number;
  readonly publicMessage: string;
  readonly logLevel: "info" | "warn" | "error";
}

const tempfail = "Temporary server problem, try again later";

export const errorCodes = {
  REQUEST_MALFORMED: { kind: "caller", httpStatus: 400, publicMessage: "Malformed request", logLevel: "info" },
  REQUEST_CREDENTIALS: {
    kind: "caller",
    httpStatus: 400,
    publicMessage: "Invalid username or password format",
    logLevel: "info",
  },
  REQUEST_MEDIA_TYPE: { kind: "caller", httpStatus: 400, publicMessage: "Unsupported media type", logLevel: "info" },
  REQUEST_TOO_LARGE: { kind: "caller", httpStatus: 400, publicMessage: "Request body too large", logLevel: "info" },
  ACCEPT_UNSUPPORTED: {
    kind: "caller",
    httpStatus: 415,
    publicMessage: "None of the media types in Accept is supported",
    logLevel: "info",
  },
  LIST_TOO_LONG: {
    kind: "caller",
    httpStatus: 400,
    publicMessage: "The list of accounts is too long for one gRPC message; use an HTTP endpoint",
    logLevel: "warn",
  },
  CONFIG_INVALID: { kind: "bug", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  BUS_NO_RESPONDERS: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  BUS_DISCONNECTED: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  BUS_BACKLOG: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  BUS_PAYLOAD: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  ENGINE_SILENT: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  DEADLINE_EXCEEDED: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "warn" },
  REQUEST_ABORTED: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "info" },
  OVERLOADED: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "warn" },
  SHUTTING_DOWN: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "info" },
  DIRECTORY_UNAVAILABLE: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  DIRECTORY_OVERLOADED: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "warn" },
  DIRECTORY_AMBIGUOUS: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  DIRECTORY_NOT_CONFIGURED: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  DIRECTORY_DATA: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  NO_USERNAME: { kind: "unavailable", httpStatus: 500, publicMessage: "No username given", logLevel: "info" },
  REDIS_UNAVAILABLE: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  TLS_REQUIRED: {
    kind: "unavailable",
    httpStatus: 500,
    publicMessage: "TLS transport encryption required",
    logLevel: "info",
  },
  RBL_UNAVAILABLE: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "warn" },
  POLICY_TEMPFAIL: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "info" },
  SCRIPT_FAILED: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  UPSTREAM_UNAVAILABLE: { kind: "unavailable", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
  INTERNAL: { kind: "bug", httpStatus: 500, publicMessage: tempfail, logLevel: "error" },
} as const satisfies Record<string, ErrorCodeRow>;

export type ErrorCode = keyof typeof errorCodes;

export const reservedCodes: readonly string[] = [];

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(errorCodes, value);
}
