import { AppError } from "@postern/shared/platform/errors";

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const sqliteError = 1;
const sqliteBusy = 5;
const sqliteLocked = 6;
const sqliteConstraint = 19;

function primaryCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !("errcode" in thrown) || typeof thrown.errcode !== "number") return undefined;
  return thrown.errcode & 0xff;
}

/** Another process holds a lock, so a retry may succeed. */
export function isBusy(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === sqliteBusy || code === sqliteLocked;
}

/** The connection still works: only this statement failed or had to wait. */
export function isOfStatement(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return isBusy(thrown) || code === sqliteError || code === sqliteConstraint;
}

/** Locked, damaged, missing, another schema: none of it says anything about a user. */
export function toBackendError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("DIRECTORY_UNAVAILABLE", { detail: `SQLite: ${detail}`, cause: thrown });
}
