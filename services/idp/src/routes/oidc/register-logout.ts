import type { FastifyInstance } from "fastify";
import { logoutFrames } from "../../oidc/logout/front-channel.ts";
import { decideLogout } from "../../oidc/logout/logout-request.ts";
import { type PageRoute, registerPageRoutes, servePage } from "../page-routes.ts";
import type { OidcRoutesDeps } from "./deps.ts";
import { getLogout } from "./get-logout.ts";
import { postLogout } from "./post-logout.ts";
import type { LogoutDeps } from "./sign-out.ts";

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
