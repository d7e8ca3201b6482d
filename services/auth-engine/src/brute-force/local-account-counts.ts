import { createBoundedCache } from "@postern/shared/platform/cache";

interface Count {
  readonly digests: Set<string>;
  endsMs: number;
}

const maxNames = 4096;

/**
 * Counts distinct wrong passwords of names that Redis does not count; bounded. From `maxDigests` on each digest is new, and none is kept.
 */
export function createLocalAccountCounts(windowMs: number, maxDigests: number) {
  const counts = createBoundedCache<Count>({ maxEntries: maxNames, evict: "oldest" });
  const currentOf = (name: string, nowMs: number): Count | undefined => {
    const count = counts.get(name);
    if (count === undefined || nowMs < count.endsMs) return count;
    counts.delete(name);
    return undefined;
  };
  return {
    count: (name: string, digest: string, nowMs: number): { readonly failures: number; readonly isNew: boolean } => {
      const count = currentOf(name, nowMs) ?? { digests: new Set<string>(), endsMs: 0 };
      const isNew = !count.digests.has(digest);
      if (isNew) {
        count.endsMs = nowMs + windowMs;
        if (count.digests.size < maxDigests) count.digests.add(digest);
      }
      counts.set(name, count);
      return { failures: count.digests.size, isNew };
    },
    failuresOf: (name: string, nowMs: number): number =>
      counts.size === 0 ? 0 : (currentOf(name, nowMs)?.digests.size ?? 0),
  };
}
