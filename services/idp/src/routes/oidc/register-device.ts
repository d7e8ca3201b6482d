import { pathTo } from "@postern/shared/contracts";
import { csrfToken } from "../../flow/browser-binding.ts";
import { shownUserCode } from "../../oidc/device/device.ts";
import { logoOf } from "../../pages/policy-sources.ts";
import { deviceConsentPage, deviceSuccessPage } from "../../pages/templates/device.ts";
import { admit, hrefIn } from "../../visit/flow-visit.ts";
import { type PageRoute, servePage, type VisitHandler } from "../../visit/page-routes.ts";
import { lookOf, sendShown } from "../../visit/visit.ts";
import { scopesOf } from "./consent-scopes.ts";
import { atConsent } from "./device-consent.ts";
import { postConsent } from "./post-device-consent.ts";
import { postVerify } from "./post-device-verify.ts";
import { actionOf, type DeviceDeps, showCode } from "./show-device-code.ts";
import { showFailed } from "./show-device-failed.ts";

function getConsent(deps: DeviceDeps): VisitHandler {
  return async (visit) => {
    const consent = await atConsent(deps, visit);
    if (consent === undefined) return visit.reply;
    const { flow, session, browserToken } = consent;
    const { logo, imageSources } = logoOf(flow.client?.logoUri);
    const view = {
      action: actionOf(visit),
      csrfToken: csrfToken(flow.id, browserToken),
      client: flow.client?.name ?? flow.client?.id ?? "",
      logo,
      other: hrefIn(pathTo("restartLogin"), visit, flow),
      account: session.displayName ?? session.account,
      userCode: shownUserCode(flow.deviceKey ?? ""),
      scopes: scopesOf(deps, flow),
    };
    const look = lookOf(deps.pages, visit, flow);
    return sendShown(visit.reply, deps.pages.show(deviceConsentPage, view, look, { imageSources }));
  };
}

/** `GET /oidc/device/verify`: the form for the code, which the device's link may contain. */
function getVerify(deps: DeviceDeps): VisitHandler {
  return async (visit) => {
    const userCode = (visit.query("user_code") ?? "").slice(0, 32);
    const { request, reply, language } = visit;
    if (visit.query("flow") === undefined) {
      const begun = await deps.starts.startDevice(request.raw, reply.raw, language?.tag);
      return showCode(deps, visit, { ...begun, userCode });
    }
    const passage = await admit(deps, visit, ["code"]);
    if (passage === undefined) return reply;
    return showCode(deps, visit, { id: passage.flow.id, browserToken: passage.browserToken, userCode });
  };
}

/** `GET /oidc/device/verify/failed` */
function getDeviceFailed(deps: DeviceDeps): VisitHandler {
  return async (visit) => showFailed(deps, visit, 200);
}

function getSuccess({ pages }: DeviceDeps): VisitHandler {
  return async (visit) => sendShown(visit.reply, pages.show(deviceSuccessPage, {}, lookOf(pages, visit)));
}

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
