import { pathTo } from "@postern/shared/contracts";
import { recoveryEnrolmentPage } from "../../pages/templates/enrolment.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import { ways } from "./enrolled.ts";
import { forFresh, hasFactor, here } from "./member.ts";

const page = pathTo("recoveryCodesPage");

export function getRecovery(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forFresh(deps, page, async (visit, member, state) => {
    const { links, options } = await ways(deps, visit, member);
    const view = {
      action: here(visit, pathTo("draftRecoveryCodes")),
      csrfToken: member.csrfToken,
      left: state.recoveryCodesLeft,
      canMake: hasFactor(state),
      remake: state.recoveryCodesLeft > 0,
      ...links,
    };
    return sendShown(visit.reply, pages.show(recoveryEnrolmentPage, view, lookOf(pages, visit), options));
  });
}
