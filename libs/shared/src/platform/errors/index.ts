export { AppError, type AppErrorOptions, type ErrorOnWire, fromUnknown, logFields } from "./app-error.ts";
export { type ErrorCode, type ErrorCodeRow, type ErrorKind, errorCodes, isErrorCode, reservedCodes } from "./codes.ts";
