import { AppError } from "../errors/app-error.ts";
import { type Deadlines, notListed, type Timed } from "./deadlines.ts";

/** What a handler is told about the call besides its body. */
export interface CallContext {
  /** Absolute, milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborts at the deadline, with an `AppError` DEADLINE_EXCEEDED as its reason. Costs nothing until it is read. */
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

  readonly #deadlines: Deadlines;
  readonly #remainingMs: number;
  readonly #startedAtMs: number;
  #controller: AbortController | undefined;

  constructor(id: number, deadline: number, inbox: string, timing: CallTiming) {
    this.id = id;
    this.deadline = deadline;
    this.inbox = inbox;
    this.#deadlines = timing.deadlines;
    this.#remainingMs = deadline - timing.nowMs;
    this.#startedAtMs = performance.now();
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const remainingMs = this.#remainingMs - (performance.now() - this.#startedAtMs);
      if (remainingMs > 0) this.#deadlines.insert(this, remainingMs);
      else this.expire();
    }
    return this.#controller.signal;
  }

  expire(): void {
    this.#controller?.abort(new AppError("DEADLINE_EXCEEDED"));
  }

  finish(): void {
    this.#deadlines.remove(this);
  }
}

export interface CallTiming {
  readonly deadlines: Deadlines;
  readonly nowMs: number;
}
