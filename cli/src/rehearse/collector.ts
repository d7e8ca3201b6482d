import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How much the heap may grow before it is collected. */
const growth = 24 << 20;

/**
 * Collects garbage more often than the runtime would, which lets the heap grow to several times what is used, and a log of any size should be
 * read beside the services. A limit of the heap would end the process instead.
 */
export function createCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const run: unknown = runInNewContext("gc");
  let used = getHeapStatistics().used_heap_size;
  return () => {
    if (getHeapStatistics().used_heap_size < used + growth || typeof run !== "function") return;
    run();
    used = getHeapStatistics().used_heap_size;
  };
}
