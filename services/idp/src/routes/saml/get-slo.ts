import type { VisitHandler } from "../page-routes.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { guarded, names, repeat, take } from "./logout-message.ts";
import { showLogoutTransaction } from "./logout-transaction.ts";
import { readQuery } from "./read-visit.ts";

/**
 * `GET /saml/slo`: a message of the Redirect binding; with `request`, one that was verified before; with `logout`, the page
 * of a logout transaction.
 */
export function getSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, async (visit) => {
    const transaction = visit.query("logout");
    if (transaction !== undefined) return showLogoutTransaction(deps, visit, transaction);
    const waiting = visit.query("request");
    if (waiting !== undefined) return repeat(deps, visit, waiting);
    return take(deps, visit, { read: await readQuery(deps, visit, names), binding: "redirect" });
  });
}
