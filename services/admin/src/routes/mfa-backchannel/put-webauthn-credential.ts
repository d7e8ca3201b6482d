import { MfaBackchannelReplacement, mfaWebauthnUpdate } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `PUT /api/v1/mfa-backchannel/webauthn/credential`: compare-and-set; 400 if the old one is not stored. */
export function putWebauthnCredential(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "update_webauthn",
    fields: MfaBackchannelReplacement,
    ask: ({ credential, old_credential: oldCredential }, target, options) =>
      deps.bus.request(mfaWebauthnUpdate, { ...target, credential, oldCredential }, options),
  });
}
