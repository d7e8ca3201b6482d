import type { Facts } from "./facts.ts";
import type { StepContext } from "./step.ts";

/**
 * What a decision's steps know of its call. A class, because V8 gives every object literal with a getter a hidden class
 * of its own, which keeps the whole request alive until the next full collection (ADR 0100).
 */
export class DecisionContext implements StepContext {
  readonly deadline: number;
  readonly facts: Facts = {};
  readonly #call: Pick<StepContext, "deadline" | "signal">;

  constructor(call: Pick<StepContext, "deadline" | "signal">) {
    this.deadline = call.deadline;
    this.#call = call;
  }

  /** Asked for when a step does: most decisions never need one. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
