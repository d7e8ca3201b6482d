import type { AppError } from "./app-error.ts";

function messageOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}

/**
 * Log fields of an error. A bug is logged with its stack. An unavailable dependency is not: an outage causes a line per request, with the
 * same stack every time.
 */
export function logFields(error: AppError): object {
  if (error.row.kind === "bug") return { err: error };
  return { code: error.code, error: error.message, cause: messageOf(error.cause) };
}
