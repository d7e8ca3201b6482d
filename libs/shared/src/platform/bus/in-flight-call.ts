import { remainingMs } from "../concurrency/deadline.ts";
import { type Deadlines, notListed, type Timed } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import type { Clock } from "../time/clock.ts";

/** What a handler receives about the call in addition to its body. */
export interface CallContext {
  /** Absolute, milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborts at the deadline, with an `AppError` DEADLINE_EXCEEDED as the reason. Created only when it is read. */
  readonly signal: AbortSignal;
}

/** A request that is being handled. */
export class InFlightCall implements CallContext, Timed {
  readonly id: number;
  readonly deadline: number;
  readonly inbox: string;

  expiresAtMs = 0;
  slot = notListed;
  previous: Timed | undefined = undefined;
  next: Timed | undefined = undefined;

  readonly #timing: CallTiming;
  #controller: AbortController | undefined;

  constructor(id: number, deadline: number, inbox: string, timing: CallTiming) {
    this.id = id;
    this.deadline = deadline;
    this.inbox = inbox;
    this.#timing = timing;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { deadlines, clock } = this.#timing;
      const leftMs = remainingMs(this.deadline, clock);
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
}
