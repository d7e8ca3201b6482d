import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../errors/app-error.ts";
import type { Clock } from "../time/clock.ts";

/** How long a caller needs the answer. `deadline` by `steadyClock`, so that steps of the wall clock do not move it. */
export interface CallerDeadline {
  readonly deadline: number;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** Present if the signal aborts at the deadline only. It costs less than the signal and a timer. */
  readonly watch?: DeadlineWatch | undefined;
}

/** Calls its listeners once, and never synchronously, when the deadline has passed. */
export interface DeadlineWatch {
  add(listener: () => void): void;
  remove(listener: () => void): void;
}

/** A caller that waits for something; `waitingFor` becomes part of the error. */
export interface Wait {
  readonly context: CallerDeadline;
  readonly clock: Clock;
  readonly waitingFor: string;
}

/** Node's timers fire immediately when their delay is longer. */
const maxTimerMs = 2 ** 31 - 1;

const deadlineExceeded = (waitingFor: string): AppError =>
  new AppError("DEADLINE_EXCEEDED", { detail: `waited for ${waitingFor}` });

const requestAborted = (waitingFor: string): AppError =>
  new AppError("REQUEST_ABORTED", { detail: `waited for ${waitingFor}` });

/** The time that is left, 0 after the deadline. */
export function remainingMs(deadline: number, clock: Clock): number {
  return Math.max(0, deadline - clock.now());
}

/** Aborts after `timeMs`, or together with any of the signals. */
export function abortAfter(timeMs: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const timeout = AbortSignal.timeout(timeMs);
  return signals.length === 0 ? timeout : AbortSignal.any([...signals, timeout]);
}

/** Throws when the caller no longer needs an answer. */
export function throwIfOver(context: CallerDeadline, clock: Clock, waitingFor: string): void {
  if (context.watch === undefined && context.signal.aborted) throw requestAborted(waitingFor);
  if (remainingMs(context.deadline, clock) === 0) throw deadlineExceeded(waitingFor);
}

/**
 * Calls `onOver` once, and never synchronously, when the deadline passes or the caller aborts. The returned function
 * stops that.
 */
export function watchDeadline({ context, clock, waitingFor }: Wait, onOver: (error: AppError) => void): () => void {
  const { watch } = context;
  if (watch !== undefined) {
    const onDeadline = (): void => onOver(deadlineExceeded(waitingFor));
    watch.add(onDeadline);
    return () => watch.remove(onDeadline);
  }
  const { signal } = context;
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  const onAbort = (): void => {
    stop();
    onOver(requestAborted(waitingFor));
  };
  // A signal that is already aborted sends no event.
  const delayMs = signal.aborted ? 0 : Math.min(remainingMs(context.deadline, clock), maxTimerMs);
  const timer = setTimeout(() => {
    stop();
    onOver(signal.aborted ? requestAborted(waitingFor) : deadlineExceeded(waitingFor));
  }, delayMs);
  signal.addEventListener("abort", onAbort);
  return stop;
}

/** Settles like the promise, or rejects when the wait is over. What the promise stands for continues. */
export function untilOver<T>(promise: Promise<T>, wait: Wait): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = watchDeadline(wait, reject);
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}

/** Settles like the promise, or rejects with `REQUEST_ABORTED` when the caller no longer waits. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new AppError("REQUEST_ABORTED"));
  if (signal.aborted) {
    // Its later rejection would otherwise be unhandled and end the process.
    promise.catch(() => undefined);
    throw new AppError("REQUEST_ABORTED");
  }
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
}

/** Settles like the promise, or rejects with `late()` after `timeMs`. What the promise stands for continues. */
export async function within<T>(
  promise: Promise<T>,
  timeMs: number,
  late: () => Error = () => new Error(`no answer within ${timeMs} ms`),
): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  const timer = setTimeout(() => overdue.reject(late()), timeMs);
  try {
    return await Promise.race([promise, overdue.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits until the promise is settled, but no longer than `timeMs`; true if it was settled in time. With `ref: false`, the
 * wait does not keep the process alive.
 */
export async function endsWithin(
  promise: Promise<unknown>,
  timeMs: number,
  { ref = true }: { readonly ref?: boolean } = {},
): Promise<boolean> {
  const done = new AbortController();
  const ended = promise.then(
    () => true,
    () => true,
  );
  const late = delay(timeMs, false, { signal: done.signal, ref }).catch(() => false);
  const inTime = await Promise.race([ended, late]);
  done.abort();
  return inTime;
}
