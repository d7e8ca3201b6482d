import { readUtf8Form } from "@postern/shared/platform/http";
import { readLogoutRequest } from "../../oidc/logout/logout-request.ts";
import type { VisitHandler } from "../page-routes.ts";
import { endOrAsk } from "./ask-sign-out.ts";
import { queryOf, withoutEmpty } from "./form.ts";
import { type LogoutDeps, refuse, type Seen, sessionOf } from "./sign-out.ts";

/** `GET /oidc/logout`, `GET /logout`: another site's page must not be able to sign users out. */
export function getLogout(deps: LogoutDeps): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...deps, visit };
    const query = withoutEmpty(readUtf8Form(queryOf(visit.request.raw.url)));
    const request = readLogoutRequest(query);
    if (request === undefined) return refuse(seen, "a parameter is repeated or too long");
    const session = await sessionOf(seen);
    const decided = await deps.decide(request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why, request);
    return endOrAsk(seen, session, query, decided);
  };
}
