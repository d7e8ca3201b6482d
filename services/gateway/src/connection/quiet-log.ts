import type { Clock } from "@postern/shared/platform/time";

/** How long further lines of a kind are left out. */
const quietMs = 10_000;

/**
 * Limits repeated log lines: lets one line of each kind through in ten seconds. The returned function returns how many of a kind were left
 * out since the last one, or undefined to leave this one out. Its `kind` is one of a closed list.
 */
export function createQuietLog(clock: Clock) {
  const quiet = new Map<string, { untilMs: number; unlogged: number }>();
  return (kind: string): number | undefined => {
    const nowMs = clock.now();
    const before = quiet.get(kind);
    if (before !== undefined && nowMs < before.untilMs) {
      before.unlogged += 1;
      return undefined;
    }
    quiet.set(kind, { untilMs: nowMs + quietMs, unlogged: 0 });
    return before?.unlogged ?? 0;
  };
}
