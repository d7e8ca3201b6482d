import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { endOne } from "./delete-session.ts";
import { endAll } from "./delete-sessions.ts";
import { listSessions } from "./get-sessions.ts";
import { refuseWithoutUser, type SessionParams, type SessionRouteDeps } from "./session-request.ts";

/**
 * OIDC session administration. `user_id` is an account name, a `sub`, or a client id for the client's own tokens. The
 * gateway has authenticated the caller; scopes are checked here.
 */
export function registerSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), deps.identifier);
  app.route({ ...guarded("listOidcSessionsWithoutUser"), handler: refuseWithoutUser });
  app.route({ ...guarded("deleteOidcSessionsWithoutUser"), handler: refuseWithoutUser });
  app.route<SessionParams>({ ...guarded("listOidcSessions"), handler: listSessions(deps) });
  app.route<SessionParams>({ ...guarded("deleteOidcSessions"), handler: endAll(deps) });
  app.route<SessionParams>({ ...guarded("deleteOidcSession"), handler: endOne(deps) });
}
