import type { AuthDecision } from "@postern/shared/contracts";
import type { Attempt } from "../decision/attempt.ts";
import type { Control, ControlContext, ControlName } from "./control.ts";

export const controlOutcomes = ["pass", "deny", "tempfail"] as const;
export type ControlOutcome = (typeof controlOutcomes)[number];

function outcomeOf(decision: AuthDecision | undefined): ControlOutcome {
  if (decision === undefined) return "pass";
  return decision.outcome === "tempfail" ? "tempfail" : "deny";
}

/** The enabled controls. */
export function createControls(
  controls: readonly Control[],
  observe: (name: ControlName, outcome: ControlOutcome) => void,
) {
  return {
    run: async (attempt: Attempt, context: ControlContext): Promise<AuthDecision | undefined> => {
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

export type Controls = ReturnType<typeof createControls>;
