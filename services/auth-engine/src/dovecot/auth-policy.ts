import {
  type AuthPolicyEffect,
  type AuthPolicyLogin,
  type AuthPolicyResult,
  type AuthPolicyVerdict,
  authPolicyAllow,
  authPolicyReport,
  authPolicyReset,
} from "@postern/shared/contracts";
import type { Bus, Serving } from "@postern/shared/platform/bus";
import type { CallContext } from "../pipeline/attempt.ts";
import type { createResetCounts } from "./reset-counts.ts";

/** Evaluates and records sign-ins that mail servers verify. */
export interface AuthPolicy {
  readonly allow: (login: AuthPolicyLogin) => Promise<AuthPolicyVerdict>;
  readonly report: (login: AuthPolicyResult, call: CallContext) => Promise<AuthPolicyEffect>;
  readonly reset: ReturnType<typeof createResetCounts>;
}

/** Operators reset one address or account after the other. */
const maxResets = 16;

/** Answers the bus methods `auth-engine.auth-policy-…`. */
export function serveAuthPolicy(
  bus: Bus,
  policy: AuthPolicy,
  options: { readonly maxInFlight: number; readonly instance: string },
): readonly Serving[] {
  return [
    bus.serve(authPolicyAllow, policy.allow, options),
    bus.serve(authPolicyReport, policy.report, options),
    bus.serve(authPolicyReset, policy.reset, { ...options, maxInFlight: maxResets }),
  ];
}
