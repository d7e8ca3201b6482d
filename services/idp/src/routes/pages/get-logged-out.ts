import { pathTo } from "@postern/shared/contracts";
import type { Pages } from "../../pages/pages.ts";
import { loggedOutPage } from "../../pages/templates/notices.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";

/** `GET /logged_out`: needs no flow and no session. */
export function getLoggedOut(pages: Pages): VisitHandler {
  return async (visit) =>
    sendShown(visit.reply, pages.show(loggedOutPage, { again: pathTo("registrationHome") }, lookOf(pages, visit)));
}
