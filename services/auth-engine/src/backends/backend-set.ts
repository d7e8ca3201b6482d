import type { Backend } from "./backend.ts";

async function closeAll(backends: readonly Backend[], onError: (error: unknown) => void): Promise<void> {
  const results = await Promise.allSettled(backends.map((backend) => backend.close()));
  for (const result of results) if (result.status === "rejected") onError(result.reason);
}

/**
 * The backends in use. A reload replaces the set; the old backends close after `lingerMs`, by which time their last call
 * has ended.
 */
export function createBackendSet(first: readonly Backend[], lingerMs: number, onError: (error: unknown) => void) {
  let current = first;
  const retired = new Map<NodeJS.Timeout, readonly Backend[]>();
  const retire = (old: readonly Backend[]): void => {
    const timer = setTimeout(() => {
      retired.delete(timer);
      void closeAll(old, onError);
    }, lingerMs);
    timer.unref();
    retired.set(timer, old);
  };
  return {
    get current(): readonly Backend[] {
      return current;
    },
    swap: (next: readonly Backend[]): void => {
      retire(current);
      current = next;
    },
    close: async (): Promise<void> => {
      for (const timer of retired.keys()) clearTimeout(timer);
      await closeAll([...retired.values().flatMap((old) => old), ...current], onError);
      retired.clear();
    },
  };
}

export type BackendSet = ReturnType<typeof createBackendSet>;
