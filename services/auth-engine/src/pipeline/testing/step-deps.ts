import type { StepDeps } from "../../pipeline.ts";

/** Dependencies of the steps for a test: everything optional is absent, no script runs, and the first backend is chosen. */
export function stepDeps(deps: Pick<StepDeps, "backends"> & Partial<StepDeps>): StepDeps {
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
  };
}
