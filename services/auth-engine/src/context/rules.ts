import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import { makeControls } from "../controls/context.ts";
import { createMasterUsers, type MasterUsers } from "../master-user/master-users.ts";
import type { EngineMetrics } from "../metrics.ts";
import type { StepDeps } from "../pipeline/step.ts";
import { makePolicies } from "../policy/context.ts";
import type { LiveEngineSettings, MasterUserSettings } from "../settings.ts";

/** The dependencies of a decision besides the backends. */
export type DecisionRules = Pick<StepDeps, "controls" | "policies" | "masterUsers">;

/** Undefined if no master user is configured. */
function makeMasterUsers(
  settings: MasterUserSettings | undefined,
  { audit }: { readonly audit: Audit },
): MasterUsers | undefined {
  if (settings === undefined) return undefined;
  return createMasterUsers({
    ...settings,
    audit: ({ masterUser: actor, user: target, ...rest }) =>
      audit.record({ event: "master_user.login", actor, target, ...rest }),
  });
}

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
