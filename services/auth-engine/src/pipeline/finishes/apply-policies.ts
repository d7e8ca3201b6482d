import type { Finish } from "../step.ts";

/** The site's rules have the last word, whether the decision came from a directory or from a cache. */
export const applyPolicies: Finish = {
  name: "apply-policies",
  run: (attempt, decision, { facts }, { policies }) =>
    policies === undefined ? decision : policies.apply({ attempt, decision, facts }),
};
