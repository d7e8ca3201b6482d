export { AppError, type AppErrorOptions, type ErrorOnWire } from "./app-error.ts";
export { type ErrorCode, type ErrorCodeRow, type ErrorKind, errorCodes, isErrorCode, reservedCodes } from "./codes.ts";
export { fromUnknown } from "./from-unknown.ts";
export { logFields } from "./log-fields.ts";
