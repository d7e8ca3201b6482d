import type { Clock } from "@postern/shared/platform/time";

/** A report about a failing list, with the number of failures it covers. */
export interface FailureNote {
  readonly list: string;
  readonly reason: string;
  readonly failures: number;
}

export interface FailureNotesDeps {
  readonly clock: Clock;
  /** Shortest interval between two reports about one list. */
  readonly everyMs: number;
  readonly note: (note: FailureNote) => void;
}

/**
 * Limits reports: an unavailable list fails for every sign-in, so the first failure is reported immediately and all
 * failures of an interval together.
 */
export function createFailureNotes({ clock, everyMs, note }: FailureNotesDeps) {
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
