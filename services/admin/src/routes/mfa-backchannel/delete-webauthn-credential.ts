import { MfaBackchannelCredential, mfaWebauthnDelete } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `DELETE /api/v1/mfa-backchannel/webauthn/credential`: 200 even if it was not stored. */
export function deleteWebauthnCredential(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "delete_webauthn",
    fields: MfaBackchannelCredential,
    ask: ({ credential }, target, options) => deps.bus.request(mfaWebauthnDelete, { ...target, credential }, options),
  });
}
