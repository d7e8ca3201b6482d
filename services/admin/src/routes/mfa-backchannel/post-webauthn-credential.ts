import { MfaBackchannelCredential, mfaWebauthnSave } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `POST /api/v1/mfa-backchannel/webauthn/credential`: 400 if the account already has it. */
export function postWebauthnCredential(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "save_webauthn",
    fields: MfaBackchannelCredential,
    ask: ({ credential }, target, options) => deps.bus.request(mfaWebauthnSave, { ...target, credential }, options),
  });
}
