import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import { makeControls } from "../controls/context.ts";
import type { EngineMetrics } from "../metrics.ts";
import type { StepDeps } from "../pipeline/step.ts";
import type { LiveEngineSettings } from "../settings.ts";
import { makeMasterUsers, makePolicies } from "./policies.ts";

/** The dependencies of a decision besides the backends. */
export type DecisionRules = Pick<StepDeps, "controls" | "policies" | "masterUsers">;

export function rulesMaker(parts: {
  readonly audit: Audit;
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
}): (settings: LiveEngineSettings) => DecisionRules {
  return ({ controls, policy, masterUser }) => ({
    controls: makeControls(controls, parts),
    policies: makePolicies(policy, parts),
    masterUsers: makeMasterUsers(masterUser, parts),
  });
}
