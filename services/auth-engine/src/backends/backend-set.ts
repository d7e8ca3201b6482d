import type { Backend } from "./backend.ts";

/** The backends in use. A reload replaces the set; the old backends close after `lingerMs`, by which time their last call has ended. */
export interface BackendSet {
  readonly current: readonly Backend[];
  swap(next: readonly Backend[]): void;
  close(): Promise<void>;
}

export interface BackendSetDeps {
  readonly first: readonly Backend[];
  /** How long calls to a replaced backend may still take, in milliseconds. */
  readonly lingerMs: number;
  readonly onError: (error: unknown) => void;
}

async function closeAll(backends: readonly Backend[], onError: BackendSetDeps["onError"]): Promise<void> {
  const results = await Promise.allSettled(backends.map((backend) => backend.close()));
  for (const result of results) if (result.status === "rejected") onError(result.reason);
}

export function createBackendSet({ first, lingerMs, onError }: BackendSetDeps): BackendSet {
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
    get current() {
      return current;
    },
    swap: (next) => {
      retire(current);
      current = next;
    },
    close: async () => {
      for (const timer of retired.keys()) clearTimeout(timer);
      await closeAll([...retired.values().flatMap((old) => old), ...current], onError);
      retired.clear();
    },
  };
}
