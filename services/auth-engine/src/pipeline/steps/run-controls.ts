import type { ControlContext, ControlFacts } from "../../controls/controls.ts";
import type { Step, StepContext } from "../step.ts";

/** A class for the same reason as `DecisionContext`. */
class ControlsContext implements ControlContext {
  readonly facts: ControlFacts = {};
  readonly #step: StepContext;

  constructor(step: StepContext) {
    this.#step = step;
  }

  get signal(): AbortSignal {
    return this.#step.signal;
  }
}

/** Runs the controls in their fixed order, for sign-ins only. The first that rejects ends the decision. */
export const runControls: Step = {
  name: "run-controls",
  run: (attempt, context, { controls }) => {
    if (controls === undefined || attempt.operation !== "authenticate") return undefined;
    const controlsContext = new ControlsContext(context);
    context.facts.controls = controlsContext.facts;
    return controls.run(attempt, controlsContext);
  },
};
