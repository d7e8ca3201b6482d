import { type ErrorCode, type ErrorCodeRow, errorCodes, isErrorCode } from "./codes.ts";

export interface AppErrorOptions {
  /** Replaces the message of the table. Callers see it, so it must not contain a secret, host or user. */
  readonly publicMessage?: string | undefined;
  /** Only the log contains it. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number | undefined;
}

/** The part of an error that crosses the bus, without internal details. */
export interface ErrorOnWire {
  readonly code: string;
  readonly publicMessage: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** An error with a code from the table, a message for the caller, and a detail and cause for the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.detail === undefined ? code : `${code}: ${options.detail}`, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.publicMessage = options.publicMessage ?? errorCodes[code].publicMessage;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get row(): ErrorCodeRow {
    return errorCodes[this.code];
  }

  toWire(): ErrorOnWire {
    const wire = { code: this.code, publicMessage: this.publicMessage };
    return this.retryAfterSeconds === undefined ? wire : { ...wire, retryAfterSeconds: this.retryAfterSeconds };
  }

  /** Rebuilds the error of a peer. An unknown code of a newer peer is a temporary failure, never a denial. */
  static fromWire(wire: ErrorOnWire): AppError {
    const { code, publicMessage, retryAfterSeconds } = wire;
    if (isErrorCode(code)) return new AppError(code, { publicMessage, retryAfterSeconds });
    return new AppError("UPSTREAM_UNAVAILABLE", { publicMessage, retryAfterSeconds, detail: `peer code ${code}` });
  }
}

/** Converts anything thrown to an `AppError`; an unexpected error becomes `INTERNAL`, with its cause for the log. */
export function fromUnknown(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("INTERNAL", { detail, cause: thrown });
}

/**
 * Log fields of an error. A bug is logged with its stack. An unavailable dependency is not: an outage causes a line per request, with the
 * same stack every time.
 */
export function logFields(error: AppError): object {
  if (error.row.kind === "bug") return { err: error };
  const { code, message, cause } = error;
  return { code, error: message, cause: cause instanceof Error ? cause.message : undefined };
}
