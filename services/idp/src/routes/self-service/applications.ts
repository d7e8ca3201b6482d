import { pathTo } from "@postern/shared/contracts";
import { applicationsPage } from "../../pages/templates/access.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, noteDone, sendShown, sendTo } from "../visit.ts";
import { forMember, here, homePath } from "./member.ts";

const page = pathTo("applicationsPage");

/** Applications that may use the account. */
export function getApplications(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forMember(deps, async (visit, { session, csrfToken }) => {
    const connected = (await deps.applications?.list(session.account)) ?? [];
    const applications = connected.map(({ id, name }) => ({
      name,
      disconnect: pathTo("disconnectApplication", { id }),
    }));
    const view = { csrfToken, applications, back: here(visit, homePath), cancel: undefined };
    return sendShown(visit.reply, pages.show(applicationsPage, view, lookOf(pages, visit)));
  });
}

export function deleteApplication(deps: LoginDeps): VisitHandler {
  return forMember(deps, async (visit, { session }) => {
    const target = visit.param("id") ?? "";
    await deps.applications?.disconnect(session.account, target);
    auditVisit(deps.audit, visit.request, { event: "consent.revoke", outcome: "ok", actor: session.account, target });
    noteDone(deps.pages, visit, "application_removed");
    return sendTo(visit.reply, page);
  });
}
