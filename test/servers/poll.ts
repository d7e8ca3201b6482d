import { setTimeout as delay } from "node:timers/promises";

/** The longer it takes, the rarer the questions are: on a busy machine, they would take the CPU time of the server that is asked. */
const pauseMs = (waitedMs: number): number => Math.min(100, Math.max(20, waitedMs / 10));

/**
 * Polls until the answer is defined and not false, or the timeout elapses; for tests that would otherwise sleep. The timeout only
 * ends a test that would never end: it is much longer than a busy machine needs.
 */
export async function poll<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 60_000,
): Promise<T> {
  const started = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const waitedMs = performance.now() - started;
    if (waitedMs > timeoutMs) throw new Error(`${what}: timed out after ${timeoutMs} ms`);
    await delay(pauseMs(waitedMs));
  }
}
