import { setImmediate, setTimeout } from "node:timers/promises";
import type { Clock } from "@postern/shared/platform/time";
import type { BackendContext } from "../backend.ts";

/**
 * Timers are up to a millisecond late, so the last two milliseconds are waited for by event-loop turns, by few callers
 * at a time.
 */
const fineMs = 2;
const maxFine = 8;
/** Time kept before the deadline, so that the answer can still be used. */
const spareMs = 25;

/**
 * The function resolves at a time of `performance.now()`, or earlier if the caller's deadline is near or the caller has
 * disconnected. A waiting call holds only a timer.
 */
export function createWaitUntil(clock: Clock) {
  let fine = 0;
  const waitFinely = async (untilMs: number, signal: AbortSignal): Promise<void> => {
    if (fine >= maxFine) return;
    fine += 1;
    while (performance.now() < untilMs && !signal.aborted) await setImmediate();
    fine -= 1;
  };
  return async (untilMs: number, { deadline, signal }: BackendContext): Promise<void> => {
    const latestMs = performance.now() + deadline - clock.now() - spareMs;
    const endMs = Math.min(untilMs, latestMs);
    const coarseMs = Math.floor(endMs - performance.now() - (fine < maxFine ? fineMs : 0));
    if (coarseMs >= 1) await setTimeout(coarseMs, undefined, { signal }).catch(() => undefined);
    await waitFinely(endMs, signal);
  };
}
