import { createRenewedSet } from "../collections/renewed-set.ts";
import { AppError } from "../errors/app-error.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { type Clock, systemClock } from "../time/clock.ts";

/** How long a piece of work may take; `deadline` in epoch milliseconds. */
export interface WorkContext {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export interface WorkGateOptions {
  /** How many run at once. */
  readonly concurrency: number;
  /** How many wait; the next is refused with `DIRECTORY_OVERLOADED` at once. */
  readonly maxQueued: number;
  readonly clock?: Clock | undefined;
}

export interface WorkGateLoad {
  readonly running: number;
  readonly queued: number;
  /** Since the start: begun, and refused because the queue was full. */
  readonly startedTotal: number;
  readonly shedTotal: number;
}

/** Lets a bounded number of costly pieces of work run, and a bounded number wait, first come first served. */
export interface WorkGate {
  /**
   * Rejects with `DEADLINE_EXCEEDED` or `REQUEST_ABORTED` as soon as the context says so. Work that waits is then
   * never started; work that runs keeps its place until it is done, as it keeps its core.
   */
  run<T>(work: () => Promise<T>, context: WorkContext): Promise<T>;
  load(): WorkGateLoad;
  /** Refuses what waits and what comes with `SHUTTING_DOWN`; resolves when nothing runs. */
  close(): Promise<void>;
}

interface Entry {
  readonly start: () => void;
  readonly refuse: (code: ErrorCode) => void;
}

const maxTimerMs = 2 ** 31 - 1;

export function createWorkGate({ concurrency, maxQueued, clock = systemClock }: WorkGateOptions): WorkGate {
  const waiting = createRenewedSet<Entry>();
  const totals = { started: 0, shed: 0 };
  const idle = Promise.withResolvers<void>();
  let running = 0;
  let isClosed = false;

  const startNext = (): void => {
    const [next] = waiting;
    if (next !== undefined && running < concurrency) {
      waiting.delete(next);
      running += 1;
      totals.started += 1;
      next.start();
    }
    if (isClosed && running === 0) idle.resolve();
  };

  const leave = (): void => {
    running -= 1;
    startNext();
  };

  const refusal = ({ deadline, signal }: WorkContext): ErrorCode | undefined => {
    if (isClosed) return "SHUTTING_DOWN";
    if (signal.aborted) return "REQUEST_ABORTED";
    if (clock.now() >= deadline) return "DEADLINE_EXCEEDED";
    if (running < concurrency || waiting.size < maxQueued) return undefined;
    totals.shed += 1;
    return "DIRECTORY_OVERLOADED";
  };

  return {
    async run<T>(work: () => Promise<T>, context: WorkContext): Promise<T> {
      const code = refusal(context);
      if (code !== undefined) throw new AppError(code);
      const outcome = Promise.withResolvers<T>();
      const entry = {
        start: () => void work().then(outcome.resolve, outcome.reject).finally(leave),
        refuse(code: ErrorCode) {
          waiting.delete(entry);
          outcome.reject(new AppError(code));
        },
      };
      waiting.add(entry);
      startNext();
      const stopWatching = watch(entry, context.deadline - clock.now(), context.signal);
      return outcome.promise.finally(stopWatching);
    },
    load: () => ({ running, queued: waiting.size, startedTotal: totals.started, shedTotal: totals.shed }),
    async close() {
      isClosed = true;
      for (const entry of waiting) entry.refuse("SHUTTING_DOWN");
      startNext();
      await idle.promise;
    },
  };
}

function watch(entry: Entry, remainingMs: number, signal: AbortSignal): () => void {
  const timer = setTimeout(entry.refuse, Math.min(remainingMs, maxTimerMs), "DEADLINE_EXCEEDED" satisfies ErrorCode);
  const abort = (): void => entry.refuse("REQUEST_ABORTED");
  signal.addEventListener("abort", abort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  };
}
