import { pathTo } from "@postern/shared/contracts";
import { applicationsPage } from "../../pages/templates/access.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import { forMember, here, homePath } from "./member.ts";

/** Applications that may use the account. */
export function getApplications(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forMember(deps, async (visit, { session, csrfToken }) => {
    const connected = (await deps.applications?.list(session.account)) ?? [];
    const applications = connected.map(({ id, name }) => ({
      name,
      disconnect: pathTo("disconnectApplication", { id }),
    }));
    const startable = (await deps.applications?.startable(session.account)) ?? [];
    const view = { csrfToken, startable, applications, back: here(visit, homePath), cancel: undefined };
    return sendShown(visit.reply, pages.show(applicationsPage, view, lookOf(pages, visit)));
  });
}
