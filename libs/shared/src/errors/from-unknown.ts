import { AppError } from "./app-error.ts";

/** Turns anything thrown into an `AppError`; what we did not foresee is `INTERNAL`, with its cause for the log. */
export function fromUnknown(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("INTERNAL", { detail, cause: thrown });
}
