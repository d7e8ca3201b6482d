import { pathTo } from "@postern/shared/contracts";
import { applicationsPage } from "../pages/templates/access.ts";
import { auditVisit, noteDone, sendTo, showPage } from "../visit/visit.ts";
import { backTo, type MemberHandler } from "./member.ts";

/** `GET /mfa/applications`: those that may use the account, and those that it can start. */
export const getConnectedApplications: MemberHandler = async (context, visit, { session, csrfToken }) => {
  const { applications: connected, pages } = context;
  const applications = ((await connected?.list(session.account)) ?? []).map(({ id, name }) => ({
    name,
    disconnect: pathTo("disconnectApplication", { id }),
  }));
  const startable = (await connected?.startable(session.account)) ?? [];
  return showPage(pages, visit, {
    page: applicationsPage,
    view: { csrfToken, startable, applications, ...backTo(visit) },
  });
};

/** `DELETE /mfa/application/:id` */
export const disconnectApplication: MemberHandler = async (context, visit, { session }) => {
  const { applications, audit, pages } = context;
  const target = visit.param("id") ?? "";
  await applications?.disconnect(session.account, target);
  auditVisit(audit, visit.request, { event: "consent.revoke", outcome: "ok", actor: session.account, target });
  noteDone(pages, visit, "application_removed");
  return sendTo(visit.reply, pathTo("applicationsPage"));
};
