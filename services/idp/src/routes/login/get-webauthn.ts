import { pathTo } from "@postern/shared/contracts";
import { csrfToken } from "../../flow/browser-binding.ts";
import { webauthnLoginPage } from "../../pages/templates/webauthn.ts";
import type { VisitHandler } from "../page-routes.ts";
import { cancelIn, formTargets, hrefIn, lookOf, sendShown } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { flowAtFactor } from "./flow-at-factor.ts";

/** `GET /login/webauthn` */
export function getWebauthn(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return async (visit) => {
    const found = await flowAtFactor(deps, visit, "webauthn");
    if (found === undefined) return visit.reply;
    const { flow, pending, browserToken } = found;
    const view = {
      begin: hrefIn(pathTo("beginWebauthnSignIn"), visit, flow),
      finish: pathTo("finishWebauthnSignIn"),
      csrfToken: csrfToken(flow.id, browserToken),
      other: pending.methods.length > 1 ? hrefIn(pathTo("mfaPage"), visit, flow) : undefined,
      restart: hrefIn(pathTo("restartLogin"), visit, flow),
      cancel: cancelIn(visit, flow, browserToken),
    };
    const options = { formTargets: formTargets(flow) };
    return sendShown(visit.reply, pages.show(webauthnLoginPage, view, lookOf(pages, visit, flow), options));
  };
}
