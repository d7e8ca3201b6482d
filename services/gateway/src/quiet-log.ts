import type { Clock } from "@postern/shared/platform/time";

/** Limits repeated log lines: returns how many of a kind were left out since the last one, or undefined to leave this one out. */
export type QuietLog = (kind: string) => number | undefined;

/**
 * Lets one line of each kind through in `quietMs`.
 *
 * @param kind one of a closed list
 */
export function createQuietLog(clock: Clock, quietMs: number): QuietLog {
  const quiet = new Map<string, { untilMs: number; unlogged: number }>();
  return (kind) => {
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
