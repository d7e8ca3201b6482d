import { AppError } from "@postern/shared/platform/errors";

/**
 * What a failed operation says about its server. `answer`: it works and rejected the operation. `refused`: it cannot
 * serve now. `timeout`: it accepted the request and did not answer. `lost`: the connection ended before an answer.
 */
export type FailureKind = "answer" | "refused" | "timeout" | "lost";

const textOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

/** The backend could not answer. `doing` describes the step and the server, for our log only. */
export function backendUnavailable(doing: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError("DIRECTORY_UNAVAILABLE", { detail: `${doing}: ${textOf(cause)}`, cause });
}

/** The server works but refuses the service account: the site's settings are wrong, not a user's password. */
export class RefusedAccountError extends Error {
  constructor(uri: string, cause: unknown) {
    super(`service account refused by ${uri}: ${textOf(cause)}`, { cause });
    this.name = "RefusedAccountError";
  }
}
