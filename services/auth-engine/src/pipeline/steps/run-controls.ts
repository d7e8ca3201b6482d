import type { Step } from "../step.ts";

/** The controls in their fixed order, for logins; the first that rejects ends the decision. Look-ups have none. */
export const runControls: Step = {
  name: "run-controls",
  run: (attempt, context, { controls }) => {
    if (controls === undefined || attempt.operation !== "authenticate") return undefined;
    const facts = {};
    context.facts.controls = facts;
    return controls.run(attempt, {
      get signal() {
        return context.signal;
      },
      facts,
    });
  },
};
