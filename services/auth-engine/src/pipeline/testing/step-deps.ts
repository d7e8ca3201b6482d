import { unknownDomain } from "@postern/shared/domain/domains";
import type { StepDeps } from "../../pipeline.ts";

/** Dependencies of the steps for a test: everything optional is absent, no script runs, and the first backend is chosen. */
export function stepDeps({
  backends,
  ...deps
}: { readonly backends: StepDeps["backends"]["current"] } & Partial<Omit<StepDeps, "backends">>): StepDeps {
  return {
    accountShares: { found: () => undefined, choose: (_name, [first]) => first },
    checkMailToken: undefined,
    resultCaches: undefined,
    bruteForce: undefined,
    risk: undefined,
    controls: undefined,
    masterUsers: undefined,
    policies: undefined,
    suspensions: {
      find: () => undefined,
      isAny: () => false,
      isUndecidable: () => false,
      refused: () => undefined,
      defaultMessage: () => ({}),
    },
    scripts: { has: () => true, environment: async () => [], subject: async () => [] },
    appPasswordUses: { recordUse: () => undefined },
    appPasswordChecked: () => undefined,
    ...deps,
    backends: {
      current: backends,
      ofSite: backends,
      seenFrom: (_domain, backend) => backend,
      of: () => backends,
      spelled: (username) => username,
      serving: () => unknownDomain,
    },
  };
}
