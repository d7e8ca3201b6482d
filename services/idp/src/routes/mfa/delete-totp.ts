import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendProblem, sendTo } from "../visit.ts";
import { isDemanded } from "./demands.ts";
import { forFresh, here, homePath } from "./member.ts";
import { codesGone } from "./removal.ts";
import { page } from "./show-totp.ts";

export function deleteTotp(deps: LoginDeps): VisitHandler {
  return forFresh(deps, page, async (visit, { subject }, state) => {
    if (await isDemanded(deps, subject.account, state, { totp: true })) {
      return sendProblem(deps.pages, visit, "required", { href: homePath });
    }
    const outcome = await deps.self.removeTotp(subject);
    if (outcome === "doubted") return sendProblem(deps.pages, visit, "doubted", { href: homePath });
    if (outcome !== "done") return sendProblem(deps.pages, visit, "failed", { href: homePath });
    noteDone(
      deps.pages,
      visit,
      "totp_removed",
      ...(codesGone(state, { totp: true }) > 0 ? ["codes_gone" as const] : []),
    );
    return sendTo(visit.reply, here(visit, homePath));
  });
}
