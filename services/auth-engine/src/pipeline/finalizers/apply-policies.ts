import type { Finalizer } from "../step.ts";

/** Applies the site's policies last, whether the decision came from a backend or from a cache. */
export const applyPolicies: Finalizer = {
  name: "apply-policies",
  run: (attempt, decision, { facts }, { policies }) =>
    policies === undefined ? decision : policies.apply({ attempt, decision, facts }),
};
