import { notificationOf } from "../../mfa/subject.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendProblem, sendTo } from "../visit.ts";
import { forFresh } from "./member.ts";
import { page } from "./show-app-passwords.ts";

export function deleteAppPassword(deps: LoginDeps): VisitHandler {
  const { pages, store, notify } = deps;
  return forFresh(deps, page, async (visit, { subject }) => {
    const { account, context } = subject;
    const id = visit.param("id") ?? "";
    if (!/^[0-9a-f]{16}$/.test(id)) return sendProblem(pages, visit, "not_found", { href: page });
    if ((await store.revokeAppPassword(account, id, context)) !== "done") {
      return sendProblem(pages, visit, "failed", { href: page });
    }
    notify(notificationOf(subject, "app_password_deleted"));
    noteDone(pages, visit, "app_password_deleted");
    return sendTo(visit.reply, page);
  });
}
