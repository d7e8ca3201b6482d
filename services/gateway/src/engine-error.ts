import { AppError, fromUnknown } from "@postern/shared/platform/errors";

/** The error of a request to an engine. If the engine rejects our message, the bug is ours and not in the caller's request. */
export function engineError(thrown: unknown): AppError {
  const error = fromUnknown(thrown);
  return error.row.kind === "caller" ? new AppError("INTERNAL", { cause: error }) : error;
}
