import { MfaBackchannelRecoveryCodes, mfaRecoveryCodesSet } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `POST /api/v1/mfa-backchannel/totp/recovery-codes`: replaces all recovery codes. */
export function postRecoveryCodes(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "set_recovery_codes",
    fields: MfaBackchannelRecoveryCodes,
    ask: ({ codes }, target, options) => deps.bus.request(mfaRecoveryCodesSet, { ...target, codes }, options),
  });
}
