import { MfaBackchannelUser, mfaTotpDelete } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `DELETE /api/v1/mfa-backchannel/totp`: 200 even if there was no secret. */
export function deleteTotp(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "delete_totp",
    fields: MfaBackchannelUser,
    ask: (_fields, target, options) => deps.bus.request(mfaTotpDelete, target, options),
  });
}
