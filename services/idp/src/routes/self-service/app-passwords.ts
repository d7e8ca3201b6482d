import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { cleanName, notificationOf } from "../../mfa/self-service.ts";
import { appPasswordsPage, newAppPasswordPage } from "../../pages/templates/access.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, noteDone, sendProblem, sendShown, sendTo, type Visit } from "../visit.ts";
import { forFresh, here, homePath, type Member } from "./member.ts";

const page = pathTo("appPasswordsPage");

async function show(deps: LoginDeps, visit: Visit, member: Member, problem?: string): Promise<FastifyReply> {
  const { pages, store } = deps;
  const { account, context } = member.subject;
  const appPasswords = (await store.appPasswords(account, context)).map(({ id, label, createdAt, lastUsedAt }) => ({
    label,
    createdMs: createdAt * 1000,
    lastUsedMs: lastUsedAt === undefined ? undefined : lastUsedAt * 1000,
    revoke: pathTo("deleteAppPassword", { id }),
  }));
  const view = {
    action: here(visit, page),
    csrfToken: member.csrfToken,
    appPasswords,
    problem,
    back: here(visit, homePath),
    cancel: undefined,
  };
  return sendShown(visit.reply, pages.show(appPasswordsPage, view, lookOf(pages, visit)));
}

export function getAppPasswords(deps: LoginDeps): VisitHandler {
  return forFresh(deps, page, (visit, member) => show(deps, visit, member));
}

/** `POST /mfa/app-passwords`: shows the new password once. */
export function postAppPassword(deps: LoginDeps): VisitHandler {
  const { pages, store, notify } = deps;
  return forFresh(deps, page, async (visit, member) => {
    const { account, context } = member.subject;
    const label = cleanName(visit.form.one("label") ?? "", "");
    if (label === "") return sendProblem(pages, visit, "request", { href: page });
    const created = await store.createAppPassword(account, label, context);
    if (created === "full") return show(deps, visit, member, lookOf(pages, visit).text("app_passwords.full"));
    if (created === undefined) return sendProblem(pages, visit, "failed", { href: page });
    notify(notificationOf(member.subject, "app_password_created"));
    const view = { ...created, account, back: here(visit, page), cancel: undefined };
    return sendShown(visit.reply, pages.show(newAppPasswordPage, view, lookOf(pages, { ...visit, path: "" })));
  });
}

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
