import { remainingMs, type Wait, watchDeadline } from "@postern/shared/platform/concurrency";
import type { Clock } from "@postern/shared/platform/time";
import type { FailureKind } from "./errors.ts";
import type { ServerAddress, Target, TargetSet } from "./target-set.ts";

/** A server has not answered yet, and another one may: the operation continues, but its caller asks the other one. */
class SlowServerError extends Error {
  constructor(uri: string) {
    super(`no answer yet from ${uri}`);
    this.name = "SlowServerError";
  }
}

/** A sign-in has several operations, and each may meet a server whose host is gone. */
const shareOfTimeLeft = 0.25;

const forever = (): void => undefined;

/** How long one of several servers is waited for. */
export class Patience<Address extends ServerAddress> {
  readonly #targets: TargetSet<Address>;
  readonly #timeMs: number | undefined;

  /** Without a time, nothing ends it. */
  constructor({ targets, patienceMs }: { readonly targets: TargetSet<Address>; readonly patienceMs?: number }) {
    this.#targets = targets;
    this.#timeMs = patienceMs;
  }

  /** Calls `onOver` if another server may do it. The returned function stops that. */
  forOpening(target: Target<Address>, onOver: () => void): () => void {
    return this.#start(target, this.#timeMs, onOver);
  }

  forAnswer(target: Target<Address>, { context, clock }: Wait, onOver: (error: SlowServerError) => void): () => void {
    const timeMs =
      this.#timeMs === undefined
        ? undefined
        : Math.min(this.#timeMs, remainingMs(context.deadline, clock) * shareOfTimeLeft);
    return this.#start(target, timeMs, () => onOver(new SlowServerError(target.address.uri)));
  }

  #start(target: Target<Address>, timeMs: number | undefined, onOver: () => void): () => void {
    if (timeMs === undefined || this.#targets.all.length < 2) return forever;
    const timer = setTimeout(() => this.#targets.hasHealthyBeside(target) && onOver(), timeMs);
    return () => clearTimeout(timer);
  }
}

export interface PooledConnection {
  /** False once it has ended or is known to be broken. */
  readonly isAlive: boolean;
  close(): void;
}

/** A connection in its pool. */
export interface Slot<Connection extends PooledConnection, Address extends ServerAddress> {
  readonly target: Target<Address>;
  readonly connection: Connection;
  inFlight: number;
  /** Accepts no new work, and is closed once it is idle. */
  isRetiring: boolean;
  /** An operation on it timed out; other operations that end with it were not answered either. */
  wentSilent: boolean;
}

type AnySlot = Slot<PooledConnection, ServerAddress>;

/** Least in flight at the server, then on the connection. */
export function isLessLoaded(a: AnySlot, b: AnySlot): boolean {
  if (a.target !== b.target && a.target.inFlight !== b.target.inFlight) return a.target.inFlight < b.target.inFlight;
  return a.inFlight < b.inFlight;
}

export const isUsable = (slot: AnySlot, capacity: number): boolean =>
  slot.inFlight < capacity && !slot.isRetiring && slot.connection.isAlive && slot.target.breaker.state() === "closed";

export interface ConnectionPoolOptions<Connection extends PooledConnection, Address extends ServerAddress> {
  /** Name of the connections in errors, such as "LDAP lookup connection". */
  readonly label: string;
  readonly targets: TargetSet<Address>;
  readonly size: number;
  readonly idleSize?: number | undefined; // Opened before they are needed, one at each `rebalance`.
  /** Concurrent operations on one connection. */
  readonly capacity: number;
  readonly queueLength: number;
  /** New connections need the service account, so they are not retried continuously while it is refused. */
  readonly needsServiceAccount: boolean;
  /**
   * How long an operation, or the opening of a connection, waits for one server while another one is healthy. For operations that may run on
   * two servers. Default: until its own time limit.
   */
  readonly patienceMs?: number;
  readonly open: (target: Target<Address>, onClose: () => void) => Promise<Connection>;
  readonly classify: (error: unknown) => FailureKind;
  readonly clock: Clock;
}

/** One operation on a connection. */
export type Work<Connection, T> = (connection: Connection) => Promise<T>;

/** Starts an operation. Turns what it throws into a rejection. */
export function begin<Connection, T>(work: Work<Connection, T>, connection: Connection): Promise<T> {
  try {
    return work(connection);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Receives the pending answer of a slow server, in case no other one answers. */
export type WaitLonger<T> = (answer: Promise<T>) => void;

interface AnswerOptions<T> {
  readonly wait: Wait;
  readonly startPatience: ((onSlow: (error: Error) => void) => () => void) | undefined;
  readonly waitLonger: WaitLonger<T> | undefined;
  readonly onAnswer: () => void;
  /** Returns the error for a caller that waits longer. */
  readonly onFailure: (error: unknown) => unknown;
}

/** What an operation ends with. When the wait or the patience is over, the operation continues, and keeps its slot until it ends. */
export function answerOf<T>(operation: Promise<T>, options: AnswerOptions<T>): Promise<T> {
  const { wait, startPatience, waitLonger, onAnswer, onFailure } = options;
  // One promise for all of it, because every decision waits for several.
  return new Promise((resolve, reject) => {
    let late: PromiseWithResolvers<T> | undefined;
    const stopWatching = watchDeadline(wait, (error) => (late ?? { reject }).reject(error));
    const stopPatience = startPatience?.((slow) => {
      late = Promise.withResolvers<T>();
      late.promise.catch(forever);
      waitLonger?.(late.promise);
      reject(slow);
    });
    const stop = (): void => [stopWatching, stopPatience].forEach((each) => each?.());
    operation.then(
      (value) => {
        stop();
        onAnswer();
        (late ?? { resolve }).resolve(value);
      },
      (error: unknown) => {
        stop();
        const shown = onFailure(error);
        if (late === undefined) reject(error);
        else late.reject(shown);
      },
    );
  });
}

/** Waits no longer than until something else has settled. Undefined if there was nothing until then, or never will be. */
export async function untilSettled<T>(
  other: Promise<unknown>,
  wait: Wait,
  begin: (wait: Wait) => Promise<T>,
): Promise<T | undefined> {
  const settled = new AbortController();
  const abort = (): void => settled.abort();
  other.then(abort, abort);
  const signal = AbortSignal.any([wait.context.signal, settled.signal]);
  return begin({ ...wait, context: { ...wait.context, signal } }).catch(() => undefined);
}
