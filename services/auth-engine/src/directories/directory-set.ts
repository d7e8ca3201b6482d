import type { Directory } from "./directory.ts";

/** The directories in use. A reload puts a new set in their place; the old ones close when their last call is over. */
export interface DirectorySet {
  readonly current: readonly Directory[];
  swap(next: readonly Directory[]): void;
  close(): Promise<void>;
}

export interface DirectorySetDeps {
  readonly first: readonly Directory[];
  /** How long calls to a replaced directory may still take, in milliseconds. */
  readonly lingerMs: number;
  readonly onError: (error: unknown) => void;
}

async function closeAll(directories: readonly Directory[], onError: DirectorySetDeps["onError"]): Promise<void> {
  const results = await Promise.allSettled(directories.map((directory) => directory.close()));
  for (const result of results) if (result.status === "rejected") onError(result.reason);
}

export function createDirectorySet({ first, lingerMs, onError }: DirectorySetDeps): DirectorySet {
  let current = first;
  const retired = new Map<NodeJS.Timeout, readonly Directory[]>();
  const retire = (old: readonly Directory[]): void => {
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
