import { MfaBackchannelAppPassword, mfaAppPasswordRevoke } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `DELETE /api/v1/mfa-backchannel/app-password`: 200 even if there was none of this id. */
export function deleteAppPassword(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "delete_app_password",
    fields: MfaBackchannelAppPassword,
    ask: ({ id }, target, options) => deps.bus.request(mfaAppPasswordRevoke, { ...target, id }, options),
  });
}
