import { pathTo } from "@postern/shared/contracts";
import { webauthnEnrolmentPage } from "../../pages/templates/webauthn.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import { ways } from "./enrolled.ts";
import { forFresh, here } from "./member.ts";

const enrolment = pathTo("webauthnRegistrationPage");
const devices = pathTo("webauthnDevicesPage");

export function getPasskeyEnrolment(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forFresh(deps, enrolment, async (visit, member) => {
    const { links, options } = await ways(deps, visit, member, devices);
    const view = {
      begin: pathTo("beginWebauthnRegistration"),
      finish: here(visit, pathTo("finishWebauthnRegistration")),
      csrfToken: member.csrfToken,
      ...links,
    };
    return sendShown(visit.reply, pages.show(webauthnEnrolmentPage, view, lookOf(pages, visit), options));
  });
}
