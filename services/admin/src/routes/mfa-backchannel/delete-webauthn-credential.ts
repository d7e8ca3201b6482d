import { MfaBackchannelCredential, mfaWebauthnDelete } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `DELETE /api/v1/mfa-backchannel/webauthn/credential`: 200 too where it was not stored. */
export function deleteWebauthnCredential(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "delete_webauthn",
    fields: MfaBackchannelCredential,
    malformed: "username and credential are required",
    ask: ({ credential }, target, options) => deps.bus.request(mfaWebauthnDelete, { ...target, credential }, options),
  });
}
