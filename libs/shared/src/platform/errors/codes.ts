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

const bug: ErrorCodeRow = { kind: "bug", httpStatus: 500, publicMessage: tempfail, logLevel: "error" };

function unavailable(logLevel: ErrorCodeRow["logLevel"], publicMessage = tempfail): ErrorCodeRow {
  return { kind: "unavailable", httpStatus: 500, publicMessage, logLevel };
}

function malformed(publicMessage: string): ErrorCodeRow {
  return { kind: "caller", httpStatus: 400, publicMessage, logLevel: "info" };
}

export const errorCodes = {
  REQUEST_MALFORMED: malformed("Malformed request"),
  REQUEST_CREDENTIALS: malformed("Invalid username or password format"),
  REQUEST_MEDIA_TYPE: malformed("Unsupported media type"),
  REQUEST_TOO_LARGE: malformed("Request body too large"),
  ACCEPT_UNSUPPORTED: { ...malformed("None of the media types in Accept is supported"), httpStatus: 415 },
  LIST_TOO_LONG: {
    ...malformed("The list of accounts is too long for one gRPC message; use an HTTP endpoint"),
    logLevel: "warn",
  },
  CONFIG_INVALID: bug,
  BUS_NO_RESPONDERS: unavailable("error"),
  BUS_DISCONNECTED: unavailable("error"),
  BUS_BACKLOG: unavailable("error"),
  BUS_PAYLOAD: unavailable("error"),
  ENGINE_SILENT: unavailable("error"),
  DEADLINE_EXCEEDED: unavailable("warn"),
  REQUEST_ABORTED: unavailable("info"),
  OVERLOADED: unavailable("warn"),
  SHUTTING_DOWN: unavailable("info"),
  DIRECTORY_UNAVAILABLE: unavailable("error"),
  DIRECTORY_OVERLOADED: unavailable("warn"),
  DIRECTORY_AMBIGUOUS: unavailable("error"),
  DIRECTORY_NOT_CONFIGURED: unavailable("error"),
  DIRECTORY_DATA: unavailable("error"),
  NO_USERNAME: unavailable("info", "No username given"),
  REDIS_UNAVAILABLE: unavailable("error"),
  TLS_REQUIRED: unavailable("info", "TLS transport encryption required"),
  RBL_UNAVAILABLE: unavailable("warn"),
  POLICY_TEMPFAIL: unavailable("info"),
  SCRIPT_FAILED: unavailable("error"),
  UPSTREAM_UNAVAILABLE: unavailable("error"),
  INTERNAL: bug,
} satisfies Record<string, ErrorCodeRow>;

export type ErrorCode = keyof typeof errorCodes;

export const reservedCodes: readonly string[] = [];

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(errorCodes, value);
}
