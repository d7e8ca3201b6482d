import { pathTo } from "@postern/shared/contracts";
import { csrfToken } from "../../flow/browser-binding.ts";
import { shownUserCode } from "../../oidc/device/device.ts";
import { logoOf } from "../../pages/policy-sources.ts";
import { deviceConsentPage } from "../../pages/templates/device.ts";
import type { VisitHandler } from "../page-routes.ts";
import { hrefIn, lookOf, sendShown } from "../visit.ts";
import { scopesOf } from "./consent-scopes.ts";
import { atConsent } from "./device-consent.ts";
import { actionOf, type DeviceDeps } from "./show-device-code.ts";

export function getConsent(deps: DeviceDeps): VisitHandler {
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
