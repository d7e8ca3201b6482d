import { setTimeout as delay } from "node:timers/promises";

/** Waits for the end of the promise, good or bad, but no longer than `timeMs`; true when it ended in time. */
export async function endsWithin(promise: Promise<unknown>, timeMs: number): Promise<boolean> {
  const done = new AbortController();
  const ended = promise.then(
    () => true,
    () => true,
  );
  const late = delay(timeMs, false, { signal: done.signal }).catch(() => false);
  const inTime = await Promise.race([ended, late]);
  done.abort();
  return inTime;
}
