import { pathTo } from "@postern/shared/contracts";
import { recentSignInsPage } from "../pages/templates/recent-sign-ins.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import { showPage } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { backTo, forMember, here } from "./member.ts";

/** `GET /mfa/sign-ins`: the recorded sign-ins of the own account. */
export function getRecentSignIns(context: AccountContext): VisitHandler {
  const { pages, recentSignIns, suspiciousSignIns } = context;
  return forMember(context, async (visit, { session: { account }, csrfToken }) => {
    const [found, suspicious] = await Promise.all([recentSignIns(account), suspiciousSignIns.list(account)]);
    const view = {
      action: pathTo("secureAccount"),
      csrfToken,
      signIns: found,
      suspicious: suspicious.length,
      review: here(visit, pathTo("suspiciousSignInsPage")),
      ...backTo(visit),
    };
    return showPage(pages, visit, { page: recentSignInsPage, view });
  });
}
