import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";

/** How long further lines of a kind are left out. */
const quietMs = 10_000;

/**
 * Writes one warning of each kind in ten seconds, with the number of those that were left out before it. Its `kind` is one of a closed list.
 */
export function createQuietWarn(logger: Pick<Logger, "warn">, clock: Clock) {
  const quiet = new Map<string, { untilMs: number; unlogged: number }>();
  return (kind: string, fields: () => object, message: string): void => {
    const nowMs = clock.now();
    const before = quiet.get(kind);
    if (before !== undefined && nowMs < before.untilMs) {
      before.unlogged += 1;
      return;
    }
    quiet.set(kind, { untilMs: nowMs + quietMs, unlogged: 0 });
    const unlogged = before?.unlogged ?? 0;
    logger.warn({ ...fields(), ...(unlogged > 0 && { unlogged }) }, message);
  };
}
