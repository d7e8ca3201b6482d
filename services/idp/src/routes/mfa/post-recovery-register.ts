import { pathTo } from "@postern/shared/contracts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendProblem, sendTo } from "../visit.ts";
import { sendOn } from "./enrolled.ts";
import { forFresh, here, homePath } from "./member.ts";

const page = pathTo("recoveryCodesPage");

/** `POST /mfa/recovery/register` and `/save`: the user confirms having saved the codes, which work from now on. */
export function postSave(deps: LoginDeps): VisitHandler {
  const { pages, self } = deps;
  return forFresh(deps, page, async (visit, member) => {
    const outcome = await self.saveCodes(member.subject, visit.form.one("set"));
    if (outcome === "absent") return sendTo(visit.reply, here(visit, page));
    if (outcome === "doubted") return sendProblem(pages, visit, "doubted", { href: homePath });
    if (outcome !== "done") return sendProblem(pages, visit, "failed", { href: homePath });
    noteDone(pages, visit, "codes_saved");
    return sendOn(deps, visit, member);
  });
}
