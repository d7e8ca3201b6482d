import { type DeadlineWatch, remainingMs } from "../concurrency/deadline.ts";
import { type Deadlines, notListed, type Timed } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import type { Clock } from "../time/clock.ts";

/** What a handler receives about the call in addition to its body. */
export interface HandlerContext {
  /** Time of `steadyClock`. */
  readonly deadline: number;
  /** Aborts at the deadline, with an `AppError` DEADLINE_EXCEEDED as the reason. Created only when it is read. */
  readonly signal: AbortSignal;
  /** Watches the deadline as the signal does, and costs less. */
  readonly watch?: DeadlineWatch | undefined;
  /**
   * Identifies the request among those of all processes. It is the same when the bus sends the request to a second replica, so that
   * effects that must happen only once can be tied to it.
   */
  readonly requestId: string;
}

interface Timing {
  readonly deadlines: Deadlines;
  readonly clock: Clock;
}

/** A request that is being handled. */
export class InFlightCall implements HandlerContext, DeadlineWatch, Timed {
  readonly id: number;
  readonly deadline: number;
  readonly inbox: string;

  expiresAtMs = 0;
  slot = notListed;
  previous: Timed | undefined = undefined;
  next: Timed | undefined = undefined;

  readonly #timing: Timing;
  #controller: AbortController | undefined;
  #watchers: Set<() => void> | undefined;

  constructor(id: number, deadline: number, inbox: string, timing: Timing) {
    this.id = id;
    this.deadline = deadline;
    this.inbox = inbox;
    this.#timing = timing;
  }

  get requestId(): string {
    return `${this.inbox.slice(this.inbox.lastIndexOf(".") + 1)}-${this.id}`;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (remainingMs(this.deadline, this.#timing.clock) > 0) this.#enlist();
      else this.#controller.abort(new AppError("DEADLINE_EXCEEDED"));
    }
    return this.#controller.signal;
  }

  get watch(): DeadlineWatch {
    return this;
  }

  add(listener: () => void): void {
    this.#watchers ??= new Set();
    this.#watchers.add(listener);
    this.#enlist();
  }

  remove(listener: () => void): void {
    this.#watchers?.delete(listener);
  }

  #enlist(): void {
    const { deadlines, clock } = this.#timing;
    if (this.slot === notListed) deadlines.insert(this, remainingMs(this.deadline, clock));
  }

  expire(): void {
    this.#controller?.abort(new AppError("DEADLINE_EXCEEDED"));
    const watchers = this.#watchers;
    this.#watchers = undefined;
    for (const listener of watchers ?? []) listener();
  }

  /** What still waits when the request has been answered ends at its deadline all the same. */
  finish(): void {
    if (this.#watchers === undefined || this.#watchers.size === 0) this.#timing.deadlines.remove(this);
  }
}
