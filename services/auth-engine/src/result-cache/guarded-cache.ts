import type { CircuitBreaker } from "../directories/servers/circuit-breaker.ts";
import type { CacheQuestion, SharedCache, SharedLook, SharedWrite } from "./shared-cache.ts";

export type ReadOutcome = "hit" | "miss" | "error" | "skipped";
export type WriteOutcome = "stored" | "stale" | "error" | "skipped";

/** The shared cache as a decision may use it: it never rejects, and never takes longer than it may. */
export interface GuardedCache {
  /** `error` and `skipped`: nobody knows, so the directory is asked and nothing is stored in the shared cache. */
  read(question: CacheQuestion): Promise<SharedLook | "error" | "skipped">;
  write(question: CacheQuestion, write: SharedWrite): Promise<WriteOutcome>;
}

export interface GuardedCacheDeps {
  readonly cache: SharedCache;
  /** Longest wait for one read or write. */
  readonly timeoutMs: number;
  /** While it is open nobody waits at all; one request at a time tries whether Redis is back. */
  readonly breaker: CircuitBreaker;
  readonly onError: (error: unknown) => void;
}

async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export function createGuardedCache({ cache, timeoutMs, breaker, onError }: GuardedCacheDeps): GuardedCache {
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
    read: (question) => guarded(() => cache.read(question)),
    write: async (question, write) => {
      const stored = await guarded(() => cache.write(question, write));
      if (typeof stored === "string") return stored;
      return stored ? "stored" : "stale";
    },
  };
}
