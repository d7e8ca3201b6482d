import { authPolicyAllow, authPolicyReport, authPolicyReset } from "@postern/shared/contracts";
import type { Bus, Serving } from "@postern/shared/platform/bus";
import type { Dovecot } from "./context.ts";

/** Operators reset one address or account after the other. */
const maxResets = 16;

/** Answers the bus methods `auth-engine.auth-policy-…`. */
export function serveDovecot(
  bus: Bus,
  dovecot: Dovecot,
  options: { readonly maxInFlight: number; readonly instance: string },
): readonly Serving[] {
  return [
    bus.serve(authPolicyAllow, dovecot.allow, options),
    bus.serve(authPolicyReport, dovecot.report, options),
    bus.serve(authPolicyReset, dovecot.reset, { ...options, maxInFlight: maxResets }),
  ];
}
