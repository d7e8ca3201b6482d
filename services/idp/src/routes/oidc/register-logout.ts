import type { FastifyInstance } from "fastify";
import type { OidcContext } from "../../context/oidc.ts";
import { decideLogout } from "../../oidc/logout-request.ts";
import { registerPageRoutes } from "../page-routes.ts";
import { type LogoutDeps, logoutRoutes } from "./logout.ts";

/** `/logout` and `/oidc/logout`. While OIDC is off there are no clients: the user is asked, and stays here. */
export function registerLogout(
  app: FastifyInstance,
  deps: Omit<LogoutDeps, "decide">,
  oidc: Pick<OidcContext, "generations"> | undefined,
): void {
  const decide: LogoutDeps["decide"] = async (request, session) =>
    oidc === undefined
      ? { decision: "ask", clientId: undefined, returnTo: undefined }
      : decideLogout(oidc.generations.current(), request, session);
  registerPageRoutes(app, logoutRoutes({ ...deps, decide }), deps);
}
