import { type PageRoute, servePage } from "../page-routes.ts";
import { getConsent } from "./get-device-consent.ts";
import { getDeviceFailed } from "./get-device-failed.ts";
import { getSuccess } from "./get-device-success.ts";
import { getVerify } from "./get-device-verify.ts";
import { postConsent } from "./post-device-consent.ts";
import { postVerify } from "./post-device-verify.ts";
import type { DeviceDeps } from "./show-device-code.ts";

/** The pages for a device's user (RFC 8628 §3.3): code, sign-in, consent. */
export function deviceRoutes(deps: DeviceDeps): readonly PageRoute[] {
  return [
    servePage("deviceCodePage", getVerify(deps)),
    servePage("verifyDeviceCode", postVerify(deps)),
    servePage("deviceFailedPage", getDeviceFailed(deps)),
    servePage("deviceSuccessPage", getSuccess(deps)),
    servePage("deviceConsentPage", getConsent(deps)),
    servePage("deviceConsent", postConsent(deps)),
  ];
}
