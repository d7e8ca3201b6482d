import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import { createMasterUsers, type MasterUsers } from "../master-user/master-users.ts";
import type { EngineMetrics } from "../metrics.ts";
import { createPolicies, type Policies } from "../policy/policies.ts";
import type { PolicySettings } from "../policy/policy-settings.ts";
import type { MasterUserSettings } from "../settings.ts";

interface Parts {
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
}

/** Undefined if there are no policies. */
export function makePolicies(settings: PolicySettings, { logger, metrics }: Parts): Policies | undefined {
  if (settings.rules.length === 0) return undefined;
  return createPolicies({
    ...settings,
    onApplied: (applied) => {
      metrics.policyApplied(applied.mode, applied.effect);
      // A policy that permits may match every decision.
      const level = applied.effect === "permit" && applied.mode === "enforce" ? "debug" : "info";
      logger[level](applied, applied.mode === "observe" ? "a policy would have applied" : "a policy applied");
    },
  });
}

/** Undefined if no master user is configured. */
export function makeMasterUsers(
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
