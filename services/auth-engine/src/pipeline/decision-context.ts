import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import type { Facts } from "../facts/facts.ts";
import type { StepContext } from "./step.ts";

/**
 * The context that the steps of one decision share. It is a class because V8 gives every object literal with a getter
 * its own hidden class, which keeps the whole request alive until the next full collection (docs/contributing/performance.md).
 */
export class DecisionContext implements StepContext {
  readonly deadline: number;
  readonly watch: StepContext["watch"];
  readonly facts: Facts = {};
  readonly #call: CallerDeadline;

  constructor(call: CallerDeadline) {
    this.deadline = call.deadline;
    this.watch = call.watch;
    this.#call = call;
  }

  /** Created on first access; most decisions never need one. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
