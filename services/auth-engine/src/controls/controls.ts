import type { AuthDecision } from "@postern/shared/contracts";
import type { Attempt } from "../decision/attempt.ts";
import type { Control, ControlContext, ControlName } from "./control.ts";

export const controlOutcomes = ["pass", "deny", "tempfail"] as const;
export type ControlOutcome = (typeof controlOutcomes)[number];

/** The enabled controls. */
export interface Controls {
  run(attempt: Attempt, context: ControlContext): Promise<AuthDecision | undefined>;
}

function outcomeOf(decision: AuthDecision | undefined): ControlOutcome {
  if (decision === undefined) return "pass";
  return decision.outcome === "tempfail" ? "tempfail" : "deny";
}

export function createControls(
  controls: readonly Control[],
  observe: (name: ControlName, outcome: ControlOutcome) => void,
): Controls {
  return {
    run: async (attempt, context) => {
      for (const control of controls) {
        const decision = await control.check(attempt, context);
        observe(control.name, outcomeOf(decision));
        if (decision !== undefined) {
          context.facts.rejectedBy = control.name;
          return decision;
        }
      }
      return undefined;
    },
  };
}
