import { pathTo } from "@postern/shared/contracts";
import { recoveryCodesPage } from "../../pages/templates/enrolment.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown, sendTo } from "../visit.ts";
import { ways } from "./enrolled.ts";
import { forFresh, hasFactor, here } from "./member.ts";

const page = pathTo("recoveryCodesPage");

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
