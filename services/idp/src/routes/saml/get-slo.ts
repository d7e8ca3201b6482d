import type { VisitHandler } from "../page-routes.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { guarded, names, take } from "./logout-message.ts";
import { showLogoutTransaction } from "./logout-transaction.ts";
import { readQuery } from "./read-visit.ts";

/** `GET /saml/slo`: a message of the Redirect binding, or, with `logout`, the page of a logout transaction. */
export function getSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, async (visit) => {
    const transaction = visit.query("logout");
    if (transaction !== undefined) return showLogoutTransaction(deps, visit, transaction);
    return take(deps, visit, { read: await readQuery(deps, visit, names), binding: "redirect" });
  });
}
