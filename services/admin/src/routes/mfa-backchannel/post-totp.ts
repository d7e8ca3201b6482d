import { MfaBackchannelTotp, mfaTotpSet } from "@postern/shared/contracts";
import { createMfaRoute, type MfaRouteDeps } from "./mfa-route.ts";

/** `POST /api/v1/mfa-backchannel/totp`: replaces the secret. */
export function postTotp(deps: MfaRouteDeps) {
  return createMfaRoute(deps, {
    operation: "set_totp",
    fields: MfaBackchannelTotp,
    ask: ({ totp_secret: secret }, target, options) => deps.bus.request(mfaTotpSet, { ...target, secret }, options),
  });
}
