import { AppError } from "@postern/shared/errors";

/**
 * What a failed operation says about its server. `answer`: it works and said no. `refused`: it answered that it cannot
 * serve now. `timeout`: it took the request and went silent. `lost`: the connection ended before an answer.
 */
export type FailureKind = "answer" | "refused" | "timeout" | "lost";

const textOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

/** Nobody could decide. `doing` names the step and the server, for our log only. */
export function directoryUnavailable(doing: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError("DIRECTORY_UNAVAILABLE", { detail: `${doing}: ${textOf(cause)}`, cause });
}

/** The server works but refuses our service account: the site's settings are wrong, not a user's password. */
export class RefusedAccountError extends Error {
  constructor(uri: string, cause: unknown) {
    super(`service account refused by ${uri}: ${textOf(cause)}`, { cause });
    this.name = "RefusedAccountError";
  }
}
