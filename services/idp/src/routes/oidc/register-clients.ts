import { type OperationId, operation } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { kindOfId } from "../../oidc/registered/registration.ts";
import { auditVisit } from "../../visit/visit.ts";
import { getRegisteredClients, type ListQuery } from "./get-registered-clients.ts";
import type { RegisteredClientDeps } from "./registered-client-deps.ts";

interface ClientParams {
  readonly Params: { readonly client_id?: string };
}

/** Deletes the client first, so that it obtains no token while the others are revoked. Repeating the request revokes tokens that a failure left. */
function deleteRegisteredClient({ registrations, records, audit }: RegisteredClientDeps) {
  return async (request: FastifyRequest<ClientParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const { client_id: target = "" } = request.params;
    if (kindOfId(target) === undefined) return reply.code(404).send({ error: "no such registered client" });
    const line = { event: "client.revoke", ...auditedCaller(request.caller), target } as const;
    try {
      const existed = await registrations.remove(target);
      await records.revokeClient(target);
      if (!existed) return reply.code(404).send({ error: "no such registered client" });
      auditVisit(audit, request, { ...line, outcome: "ok" });
      return reply.code(204).send();
    } catch (error) {
      auditVisit(audit, request, { ...line, outcome: "failed" });
      throw error;
    }
  };
}

/** Administration of the clients that registered themselves. The gateway has authenticated the caller. */
export function registerClientRoutes(app: FastifyInstance, deps: RegisteredClientDeps): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), deps.identifier);
  app.route<ListQuery>({ ...guarded("listRegisteredClients"), handler: getRegisteredClients(deps) });
  app.route<ClientParams>({ ...guarded("deleteRegisteredClient"), handler: deleteRegisteredClient(deps) });
}
