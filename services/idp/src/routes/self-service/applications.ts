import { applicationsPage } from "../../pages/templates/access.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown, sendTo } from "../visit.ts";
import { forMember, here, homePath } from "./member.ts";

const page = "/mfa/applications";

/** What may use the account. */
export function getApplications(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forMember(deps, async (visit, { session, csrfToken }) => {
    const connected = (await deps.applications?.list(session.accountId)) ?? [];
    const applications = connected.map(({ id, name }) => ({
      name,
      disconnect: `/mfa/application/${encodeURIComponent(id)}`,
    }));
    const view = { csrfToken, applications, back: here(visit, homePath), cancel: undefined };
    return sendShown(visit.reply, pages.show(applicationsPage, view, lookOf(pages, visit)));
  });
}

export function deleteApplication(deps: LoginDeps): VisitHandler {
  return forMember(deps, async (visit, { session }) => {
    const target = visit.param("id") ?? "";
    await deps.applications?.disconnect(session.accountId, target);
    auditVisit(deps.audit, visit.request, { event: "consent.revoke", outcome: "ok", actor: session.account, target });
    return sendTo(visit.reply, page);
  });
}
