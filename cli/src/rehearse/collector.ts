import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How much the heap may grow before it is collected. */
const growth = 16 << 20;

/** With arrays outside the heap, and without what is young, which the runtime collects often enough. */
function usedBytes(): number {
  let used = getHeapStatistics().external_memory;
  for (const { space_name: name, space_used_size: size } of getHeapSpaceStatistics())
    if (!name.startsWith("new_")) used += size;
  return used;
}

/**
 * Collects garbage more often than the runtime would, which lets the heap grow to several times what is used, and a log of any size should be
 * read beside the services. A limit of the heap would end the process instead.
 */
export function createCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const run: unknown = runInNewContext("gc");
  let used = usedBytes();
  return () => {
    if (usedBytes() < used + growth || typeof run !== "function") return;
    run();
    used = usedBytes();
  };
}
