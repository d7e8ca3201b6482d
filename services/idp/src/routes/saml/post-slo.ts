import type { VisitHandler } from "../page-routes.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { guarded, names, take } from "./logout-message.ts";
import { readForm } from "./read-visit.ts";

/** `POST /saml/slo`: a message of the POST binding; a session index identifies the session. */
export function postSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, async (visit) =>
    take(deps, visit, { read: await readForm(deps, visit, names), binding: "post" }),
  );
}
