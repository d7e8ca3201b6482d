import { cleanName } from "../../mfa/self-service.ts";
import { notificationOf } from "../../mfa/subject.ts";
import { newAppPasswordPage } from "../../pages/templates/access.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendProblem, sendShown } from "../visit.ts";
import { serversView } from "./mail-account.ts";
import { forFresh, here } from "./member.ts";
import { page, show } from "./show-app-passwords.ts";

/** `POST /mfa/app-passwords`: shows the new password once. */
export function postAppPassword(deps: LoginDeps): VisitHandler {
  const { pages, store, notify, mailSetup } = deps;
  return forFresh(deps, page, async (visit, member) => {
    const { account, context } = member.subject;
    const label = cleanName(visit.form.one("label") ?? "", "");
    if (label === "") return sendProblem(pages, visit, "request", { href: page });
    const created = await store.createAppPassword(account, label, context);
    if (created === "full") return show(deps, visit, member, lookOf(pages, visit).text("app_passwords.full"));
    if (created === undefined) return sendProblem(pages, visit, "failed", { href: page });
    notify(notificationOf(member.subject, "app_password_created"));
    const mail = mailSetup?.accountOf(member.session);
    const { userName, servers } = mail === undefined ? { userName: account, servers: [] } : serversView(mail);
    const view = { ...created, account: userName, servers, back: here(visit, page), cancel: undefined };
    return sendShown(visit.reply, pages.show(newAppPasswordPage, view, lookOf(pages, { ...visit, path: "" })));
  });
}
