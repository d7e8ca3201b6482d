import type { Clock } from "@postern/shared/time";

/** One note of a list that fails, with how many failures it stands for. */
export interface FailureNote {
  readonly list: string;
  readonly reason: string;
  readonly failures: number;
}

export interface FailureNotesDeps {
  readonly clock: Clock;
  /** The least time between two notes of one list. */
  readonly everyMs: number;
  readonly note: (note: FailureNote) => void;
}

/** A list that is away fails for every login: the first failure is noted, then all of an interval in one. */
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
