import type { Logger } from "@postern/shared/platform/logging";
import type { EngineMetrics } from "../metrics.ts";
import { createPolicies, type Policies } from "./policies.ts";
import type { PolicySettings } from "./policy-settings.ts";

/** Undefined if there are no policies. */
export function makePolicies(
  settings: PolicySettings,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: EngineMetrics },
): Policies | undefined {
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
