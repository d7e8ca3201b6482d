import { remainingMs } from "../concurrency/deadline.ts";
import { type Deadlines, notListed, type Timed } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import type { Clock } from "../time/clock.ts";

/** What a handler receives about the call in addition to its body. */
export interface HandlerContext {
  /** Absolute, milliseconds since the epoch by the clock of deadlines. */
  readonly deadline: number;
  /** Aborts at the deadline, with an `AppError` DEADLINE_EXCEEDED as the reason. Created only when it is read. */
  readonly signal: AbortSignal;
  /**
   * Identifies the request among those of all processes. It is the same when the bus sends the request to a second replica, so that what it
   * does once can be bound to it.
   */
  readonly requestId: string;
}

/** A request that is being handled. */
export class InFlightCall implements HandlerContext, Timed {
  readonly id: number;
  /** By the clock of this host. */
  readonly deadlineMs: number;
  readonly deadline: number;
  readonly inbox: string;

  expiresAtMs = 0;
  slot = notListed;
  previous: Timed | undefined = undefined;
  next: Timed | undefined = undefined;

  readonly #timing: CallTiming;
  #controller: AbortController | undefined;

  constructor(id: number, deadlineMs: number, inbox: string, timing: CallTiming) {
    const { clock, deadlineClock } = timing;
    this.id = id;
    this.deadlineMs = deadlineMs;
    this.deadline = clock === deadlineClock ? deadlineMs : deadlineMs - clock.now() + deadlineClock.now();
    this.inbox = inbox;
    this.#timing = timing;
  }

  get requestId(): string {
    return `${this.inbox.slice(this.inbox.lastIndexOf(".") + 1)}-${this.id}`;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { deadlines, clock } = this.#timing;
      const leftMs = remainingMs(this.deadlineMs, clock);
      if (leftMs > 0) deadlines.insert(this, leftMs);
      else this.expire();
    }
    return this.#controller.signal;
  }

  expire(): void {
    this.#controller?.abort(new AppError("DEADLINE_EXCEEDED"));
  }

  finish(): void {
    this.#timing.deadlines.remove(this);
  }
}

export interface CallTiming {
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly deadlineClock: Clock;
}
