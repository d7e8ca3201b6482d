import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { CallContext } from "../../rpc/call-context.ts";

const deadlineExceeded = (waitingFor: string): AppError =>
  new AppError("DEADLINE_EXCEEDED", { detail: `waited for ${waitingFor}` });

const requestAborted = (waitingFor: string): AppError =>
  new AppError("REQUEST_ABORTED", { detail: `waited for ${waitingFor}` });

/** Throws when the caller has no use for an answer any more. */
export function throwIfOver(context: CallContext, clock: Clock, waitingFor: string): void {
  if (context.signal.aborted) throw requestAborted(waitingFor);
  if (context.deadline <= clock.now()) throw deadlineExceeded(waitingFor);
}

export interface Wait {
  readonly context: CallContext;
  readonly clock: Clock;
  readonly waitingFor: string;
}

/** Calls `onOver` once, later, when the deadline passes or the caller aborts. The result takes the watch down. */
export function watch({ context, clock, waitingFor }: Wait, onOver: (error: AppError) => void): () => void {
  const { signal } = context;
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  const onAbort = (): void => {
    stop();
    onOver(requestAborted(waitingFor));
  };
  // A signal that is aborted already sends no event any more.
  const delayMs = signal.aborted ? 0 : Math.max(0, context.deadline - clock.now());
  const timer = setTimeout(() => {
    stop();
    onOver(signal.aborted ? requestAborted(waitingFor) : deadlineExceeded(waitingFor));
  }, delayMs);
  signal.addEventListener("abort", onAbort);
  return stop;
}

/** The promise's own end, or the wait's. What is still running then goes on: its owner keeps the books. */
export function untilOver<T>(promise: Promise<T>, wait: Wait): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = watch(wait, reject);
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
