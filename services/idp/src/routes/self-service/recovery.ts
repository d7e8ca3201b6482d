import { pathTo } from "@postern/shared/contracts";
import { recoveryCodesPage, recoveryEnrolmentPage } from "../../pages/templates/enrolment.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, noteDone, sendProblem, sendShown, sendTo } from "../visit.ts";
import { sendOn, ways } from "./enrolled.ts";
import { forFresh, hasFactor, here, homePath } from "./member.ts";

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

/** `POST /mfa/recovery/generate`: shows new codes once; the old ones work until the new ones are saved. */
export function postGenerate(deps: LoginDeps): VisitHandler {
  const { pages, self } = deps;
  return forFresh(deps, page, async (visit, member, state) => {
    if (!hasFactor(state)) return sendTo(visit.reply, here(visit, page));
    const { codes, set } = await self.draftCodes(member.subject);
    const { links, options } = await ways(deps, visit, member);
    const view = {
      action: here(visit, pathTo("saveDraftedRecoveryCodes")),
      csrfToken: member.csrfToken,
      codes,
      account: state.account,
      set,
      ...links,
    };
    const look = lookOf(pages, { ...visit, path: "" });
    return sendShown(visit.reply, pages.show(recoveryCodesPage, view, look, options));
  });
}

/** `POST /mfa/recovery/register` and `/save`: the user confirms having saved the codes, which work from now on. */
export function postSave(deps: LoginDeps): VisitHandler {
  const { pages, self } = deps;
  return forFresh(deps, page, async (visit, member) => {
    const outcome = await self.saveCodes(member.subject, visit.form.one("set"));
    if (outcome === "absent") return sendTo(visit.reply, here(visit, page));
    if (outcome !== "done") return sendProblem(pages, visit, "failed", { href: homePath });
    noteDone(pages, visit, "codes_saved");
    return sendOn(deps, visit, member);
  });
}
