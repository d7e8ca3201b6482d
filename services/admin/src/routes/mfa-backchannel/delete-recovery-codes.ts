import { MfaBackchannelUser, mfaRecoveryCodesDelete } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `DELETE /api/v1/mfa-backchannel/totp/recovery-codes` */
export function deleteRecoveryCodes(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "delete_recovery_codes",
    fields: MfaBackchannelUser,
    ask: (_fields, target, options) => deps.bus.request(mfaRecoveryCodesDelete, target, options),
  });
}
