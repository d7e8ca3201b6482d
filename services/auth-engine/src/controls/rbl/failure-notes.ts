import type { Clock } from "@postern/shared/platform/time";

export type FailureNote = Readonly<{ list: string; reason: string; failures: number }>;

/**
 * Limits reports: an unavailable list fails for every sign-in, so the first failure is reported immediately and all
 * failures of an interval together.
 * @param everyMs shortest interval between two reports about one list.
 */
export function createFailureNotes(clock: Clock, everyMs: number, note: (note: FailureNote) => void) {
  const lists = new Map<string, { notedAtMs: number; failures: number }>();
  return (list: string, reason: string): void => {
    const state = lists.get(list) ?? { notedAtMs: Number.NEGATIVE_INFINITY, failures: 0 };
    lists.set(list, state);
    state.failures += 1;
    if (clock.now() - state.notedAtMs < everyMs) return;
    note({ list, reason, failures: state.failures });
    state.notedAtMs = clock.now();
    state.failures = 0;
  };
}
