import type { VisitHandler } from "../page-routes.ts";
import { sendTo } from "../visit.ts";
import { refusing } from "./answers.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { readForm } from "./read-visit.ts";

/** `POST /saml/sso`: another site's form comes without our Lax cookies, so the browser is sent to ask again by GET. */
export function postSso(deps: SamlRoutesDeps): VisitHandler {
  return refusing(deps, async (visit) => {
    const id = await deps.sso.receive(await readForm(deps, visit, ["AuthnRequest"]));
    return sendTo(visit.reply, `/saml/sso?${new URLSearchParams({ request: id }).toString()}`);
  });
}
