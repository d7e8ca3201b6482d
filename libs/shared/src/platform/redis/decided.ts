import { AppError } from "../errors/index.ts";

/**
 * Runs work that needs Redis. A failure becomes a temporary failure; `detail` says what could not be decided.
 *
 * @throws AppError REDIS_UNAVAILABLE, or an AppError that the work itself threw
 */
export function decidedInRedis(detail: string): <T>(work: () => Promise<T>) => Promise<T> {
  return async (work) => {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError("REDIS_UNAVAILABLE", { detail, cause });
    }
  };
}
