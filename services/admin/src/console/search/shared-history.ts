import type { DecisionHistory } from "@postern/shared/domain/history";
import { createBoundedCache } from "@postern/shared/platform/cache";
import { steadyClock } from "@postern/shared/platform/time";

/** The operations of a page follow each other within milliseconds. */
const sharedMs = 1000;
const maxNetworks = 16;

type ReadNetwork = DecisionHistory["ofNetwork"];

/** A page asks two or three operations about one network, whose records are in the histories of a hundred accounts: they are read once. */
function sharedReads(read: ReadNetwork): ReadNetwork {
  const recent = createBoundedCache<ReturnType<ReadNetwork>>({
    maxEntries: maxNetworks,
    evict: "oldest",
    clock: steadyClock,
    ttlMs: sharedMs,
  });
  return (address) => {
    const known = recent.get(address);
    if (known !== undefined) return known;
    const reading = read(address);
    recent.set(address, reading);
    // What could not be read is read again.
    reading.catch(() => recent.delete(address));
    return reading;
  };
}

/** The history as pages read it. */
export function sharedHistory(history: DecisionHistory | undefined): DecisionHistory | undefined {
  return history && { ...history, ofNetwork: sharedReads(history.ofNetwork) };
}
