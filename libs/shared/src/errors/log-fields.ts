import type { AppError } from "./app-error.ts";

function messageOf(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}

/**
 * An error as fields of a log line. A bug brings its stack; what is merely away does not: in an outage there is a line
 * for each request, and its stack would say the same every time.
 */
export function logFields(error: AppError): object {
  if (error.row.kind === "bug") return { err: error };
  return { code: error.code, error: error.message, cause: messageOf(error.cause) };
}
