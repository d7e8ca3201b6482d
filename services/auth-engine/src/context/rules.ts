import type { Audit } from "@postern/shared/audit";
import type { Logger } from "@postern/shared/logging";
import type { EngineMetrics } from "../metrics.ts";
import type { StepDeps } from "../pipeline/step.ts";
import type { LiveEngineSettings } from "../settings.ts";
import { makeControls } from "./controls.ts";
import { makeMasterUsers, makePolicies } from "./policies.ts";

/** What stands around the directories in a decision. */
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
