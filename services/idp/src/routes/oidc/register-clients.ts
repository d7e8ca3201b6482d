import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { type ClientParams, deleteRegisteredClient } from "./delete-registered-client.ts";
import { getRegisteredClients, type ListQuery } from "./get-registered-clients.ts";
import type { RegisteredClientDeps } from "./registered-client-deps.ts";

/** Administration of the clients that registered themselves. The gateway has authenticated the caller. */
export function registerClientRoutes(app: FastifyInstance, deps: RegisteredClientDeps): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), deps.identifier);
  app.route<ListQuery>({ ...guarded("listRegisteredClients"), handler: getRegisteredClients(deps) });
  app.route<ClientParams>({ ...guarded("deleteRegisteredClient"), handler: deleteRegisteredClient(deps) });
}
