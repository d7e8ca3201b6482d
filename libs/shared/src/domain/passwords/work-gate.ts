import { createRenewedSet } from "../../platform/cache/renewed-map.ts";
import { watchDeadline } from "../../platform/concurrency/deadline.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ErrorCode } from "../../platform/errors/codes.ts";
import { type Clock, steadyClock } from "../../platform/time/clock.ts";

/** Limits of a piece of work; `deadline` by `steadyClock`. */
export interface WorkContext {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/**
 * Limits how many costly pieces of work run and wait, in the order of arrival. `run` rejects with `DEADLINE_EXCEEDED` or
 * `REQUEST_ABORTED` as soon as the context ends. Waiting work is then never started; running work keeps its slot until it
 * is done, because it still occupies its core.
 *
 * @param concurrency maximum number that run concurrently
 * @param maxQueued maximum number that wait; further work is rejected with `DIRECTORY_OVERLOADED` immediately
 */
export function createWorkGate(concurrency: number, maxQueued: number, clock: Clock = steadyClock) {
  const waiting = createRenewedSet<{ readonly start: () => void; readonly refuse: (error: AppError) => void }>();
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
        refuse: (error: AppError): void => {
          waiting.delete(entry);
          outcome.reject(error);
        },
      };
      waiting.add(entry);
      startNext();
      const stopWatching = watchDeadline({ context, clock, waitingFor: "a password check" }, entry.refuse);
      return outcome.promise.finally(stopWatching);
    },
    /** The totals count since the start: `shedTotal` what was rejected because the queue was full. */
    load: () => ({ running, queued: waiting.size, startedTotal: totals.started, shedTotal: totals.shed }),
    /** Rejects waiting and new work with `SHUTTING_DOWN`; resolves when nothing runs. */
    async close(): Promise<void> {
      isClosed = true;
      for (const entry of waiting) entry.refuse(new AppError("SHUTTING_DOWN"));
      startNext();
      await idle.promise;
    },
  };
}

export type WorkGate = ReturnType<typeof createWorkGate>;
export type WorkGateLoad = ReturnType<WorkGate["load"]>;
