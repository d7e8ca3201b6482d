import type { Metrics } from "@postern/shared/platform/metrics";
import type { ReadOutcome, WriteOutcome } from "./guarded-cache.ts";
import type { MemoryCache } from "./memory-cache.ts";
import type { CacheLevel } from "./result-caches.ts";

const levels = ["memory", "result", "identity"] as const satisfies readonly CacheLevel[];
const readOutcomes = ["hit", "miss", "error", "skipped"] as const satisfies readonly ReadOutcome[];
const writeOutcomes = ["stored", "stale", "error", "skipped"] as const satisfies readonly WriteOutcome[];

/** What the result caches count. */
export function createResultCacheMetrics(
  registry: Metrics,
  prefix: string,
  memory: Pick<MemoryCache, "entries" | "bytes">,
) {
  const reads = registry.counter({
    name: `${prefix}_result_cache_reads_total`,
    help: "Reads of the result caches",
    labels: { level: levels, outcome: readOutcomes },
  });
  const writes = registry.counter({
    name: `${prefix}_result_cache_writes_total`,
    help: "Writes to the result caches",
    labels: { level: levels, outcome: writeOutcomes },
  });
  const flushes = registry.counter({
    name: `${prefix}_result_cache_flushes_total`,
    help: "Flushes of accounts that this engine received",
    labels: {},
  });
  registry.gauge({
    name: `${prefix}_result_cache_memory_entries`,
    help: "Results cached in memory",
    read: () => memory.entries,
  });
  registry.gauge({
    name: `${prefix}_result_cache_memory_bytes`,
    help: "Estimated memory of the results cached in memory, in bytes",
    read: () => memory.bytes,
  });
  return {
    read: (level: CacheLevel, outcome: ReadOutcome): void => reads({ level, outcome }).inc(),
    written: (level: CacheLevel, outcome: WriteOutcome): void => writes({ level, outcome }).inc(),
    flushed: (): void => flushes({}).inc(),
  };
}
