import { AppError } from "./app-error.ts";

/** Converts anything thrown to an `AppError`; an unexpected error becomes `INTERNAL`, with its cause for the log. */
export function fromUnknown(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("INTERNAL", { detail, cause: thrown });
}
