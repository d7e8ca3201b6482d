import { pathTo } from "@postern/shared/contracts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendTo } from "../visit.ts";
import { forMember } from "./member.ts";

const page = pathTo("applicationsPage");

export function deleteApplication(deps: LoginDeps): VisitHandler {
  return forMember(deps, async (visit, { session }) => {
    const target = visit.param("id") ?? "";
    await deps.applications?.disconnect(session.account, target);
    auditVisit(deps.audit, visit.request, { event: "consent.revoke", outcome: "ok", actor: session.account, target });
    noteDone(deps.pages, visit, "application_removed");
    return sendTo(visit.reply, page);
  });
}
