import { MfaBackchannelUser, mfaWebauthnList } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `GET /api/v1/mfa-backchannel/webauthn/credential`: the parameters are in the query. */
export function getWebauthnCredential(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "list_webauthn",
    fields: MfaBackchannelUser,
    ask: (_fields, target, options) => deps.bus.request(mfaWebauthnList, target, options),
  });
}
