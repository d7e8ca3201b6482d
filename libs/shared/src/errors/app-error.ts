import { type ErrorCode, type ErrorCodeRow, errorCodes, isErrorCode } from "./codes.ts";

export interface AppErrorOptions {
  /** Replaces the table's sentence; shown to callers, so it names no secret, host or user. */
  readonly publicMessage?: string | undefined;
  /** For our own log only. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number | undefined;
}

/** What crosses the bus of an error: nothing internal (house-style §8.4). */
export interface ErrorOnWire {
  readonly code: string;
  readonly publicMessage: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** "Could not do it": a code of the table, a sentence for the caller, a detail and a cause for the log. */
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

  /** Rebuilds a peer's error. A code of a newer peer that we do not know yet is "could not decide", never a denial. */
  static fromWire(wire: ErrorOnWire): AppError {
    const { code, publicMessage, retryAfterSeconds } = wire;
    if (isErrorCode(code)) return new AppError(code, { publicMessage, retryAfterSeconds });
    return new AppError("UPSTREAM_UNAVAILABLE", { publicMessage, retryAfterSeconds, detail: `peer code ${code}` });
  }
}
