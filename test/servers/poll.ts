import { setTimeout as delay } from "node:timers/promises";

/**
 * Polls until the answer is defined and not false, or the timeout elapses; for tests that would otherwise sleep. The timeout only
 * ends a test that would never end: it is much longer than a busy machine needs.
 */
export async function poll<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 60_000,
): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > until) throw new Error(`${what}: timed out after ${timeoutMs} ms`);
    await delay(20);
  }
}
