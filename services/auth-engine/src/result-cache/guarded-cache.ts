import { type CircuitBreaker, within } from "@postern/shared/platform/concurrency";
import type { CacheKey, SharedCache, SharedRead, SharedWrite } from "./shared-cache.ts";

export type ReadOutcome = "hit" | "miss" | "error" | "skipped";
export type WriteOutcome = "stored" | "stale" | "error" | "skipped";

/**
 * @param timeoutMs time limit for one read or write.
 * @param breaker while it is open, no request waits; one request at a time tests whether Redis is available again.
 */
export function createGuardedCache(
  cache: SharedCache,
  timeoutMs: number,
  breaker: CircuitBreaker,
  onError: (error: unknown) => void,
) {
  const guarded = async <T>(ask: () => Promise<T>): Promise<T | "error" | "skipped"> => {
    if (!breaker.tryPass()) return "skipped";
    try {
      const answer = await within(ask(), timeoutMs);
      breaker.succeeded();
      return answer;
    } catch (error) {
      breaker.failed();
      onError(error);
      return "error";
    }
  };
  return {
    /**
     * `error` and `skipped`: the cache could not be read, so the backend is queried and nothing is stored in the shared
     * cache.
     */
    read: (key: CacheKey): Promise<SharedRead | "error" | "skipped"> => guarded(() => cache.read(key)),
    write: async (key: CacheKey, write: SharedWrite): Promise<WriteOutcome> => {
      const stored = await guarded(() => cache.write(key, write));
      if (typeof stored === "string") return stored;
      return stored ? "stored" : "stale";
    },
  };
}

/** The shared cache as decisions use it: it never rejects and never exceeds its time limit. */
export type GuardedCache = ReturnType<typeof createGuardedCache>;
