import type { FactorMethod, FlowClient } from "../flow/flow-record.ts";
import type { EnrolledFactors } from "../mfa/factors.ts";

/** As `supported_mfa` of a client spells them. */
const supportedNames: Readonly<Record<FactorMethod, readonly string[]>> = {
  totp: ["totp"],
  webauthn: ["webauthn"],
  recovery: ["recovery_codes", "recovery"],
};

export interface NeededFactors {
  /** Whether a second factor is asked for at all: whoever has one is always asked. */
  readonly isNeeded: boolean;
  /** Those that can be shown, in the order in which they are offered. */
  readonly methods: readonly FactorMethod[];
}

/** Recovery codes stand in for a factor that was lost; on their own they are none. */
export function neededFactors(enrolled: EnrolledFactors, client: FlowClient | undefined): NeededFactors {
  const { hasTotp, recoveryCodesLeft, webauthnCredentials } = enrolled;
  const isNeeded = hasTotp || webauthnCredentials > 0;
  if (!isNeeded) return { isNeeded, methods: [] };
  const has = { webauthn: webauthnCredentials > 0, totp: hasTotp, recovery: recoveryCodesLeft > 0 };
  const supported = client?.supportedMfa ?? [];
  const isSupported = (method: FactorMethod): boolean =>
    supported.length === 0 || supportedNames[method].some((name) => supported.includes(name));
  const order = ["webauthn", "totp", "recovery"] as const;
  return { isNeeded, methods: order.filter((method) => has[method] && isSupported(method)) };
}
