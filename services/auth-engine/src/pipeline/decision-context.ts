import type { Facts } from "../facts/facts.ts";
import type { StepContext } from "./step.ts";

/**
 * The context that the steps of one decision share. It is a class because V8 gives every object literal with a getter
 * its own hidden class, which keeps the whole request alive until the next full collection (docs/performance.md).
 */
export class DecisionContext implements StepContext {
  readonly deadline: number;
  readonly facts: Facts = {};
  readonly #call: Pick<StepContext, "deadline" | "signal">;

  constructor(call: Pick<StepContext, "deadline" | "signal">) {
    this.deadline = call.deadline;
    this.#call = call;
  }

  /** Created on first access; most decisions never need one. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
