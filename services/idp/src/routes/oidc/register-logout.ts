import { readUtf8Form } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { logoutFrames } from "../../oidc/logout/front-channel.ts";
import { decideLogout, readLogoutRequest } from "../../oidc/logout/logout-request.ts";
import { type PageRoute, registerPageRoutes, servePage, type VisitHandler } from "../../visit/page-routes.ts";
import { sessionOf } from "../../visit/visit.ts";
import { endOrAsk } from "./ask-sign-out.ts";
import type { OidcRoutesDeps } from "./deps.ts";
import { queryOf, withoutEmpty } from "./form.ts";
import { postLogout } from "./post-logout.ts";
import { type LogoutDeps, refuse, type Seen } from "./sign-out.ts";

/** `GET /oidc/logout`, `GET /logout`: another site's page must not be able to sign users out. */
function getLogout(deps: LogoutDeps): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...deps, visit };
    const query = withoutEmpty(readUtf8Form(queryOf(visit.request.raw.url)));
    const request = readLogoutRequest(query);
    if (request === undefined) return refuse(seen, "a parameter is repeated or too long");
    const session = await sessionOf(seen, seen.visit);
    const decided = await deps.decide(request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why, request);
    return endOrAsk(seen, session, query, decided);
  };
}

function logoutRoutes(deps: LogoutDeps): readonly PageRoute[] {
  return [
    servePage("endSession", getLogout(deps)),
    servePage("endSessionPost", postLogout(deps)),
    servePage("logout", getLogout(deps)),
    servePage("logoutPost", postLogout(deps)),
  ];
}

/** `/logout` and `/oidc/logout`. While OIDC is off there are no clients: the user confirms and is not redirected to one. */
export function registerLogout(
  app: FastifyInstance,
  deps: Omit<LogoutDeps, "decide" | "frames">,
  oidc: Pick<OidcRoutesDeps, "generations"> | undefined,
): void {
  const decide: LogoutDeps["decide"] = async (request, session) =>
    oidc === undefined
      ? { decision: "ask", clientId: undefined, returnTo: undefined }
      : decideLogout(oidc.generations.current(), request, session);
  const frames: LogoutDeps["frames"] = (session) =>
    oidc === undefined ? [] : logoutFrames(oidc.generations.current(), session);
  registerPageRoutes(app, logoutRoutes({ ...deps, decide, frames }), deps);
}
