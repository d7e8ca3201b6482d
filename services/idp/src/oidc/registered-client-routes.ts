import { type OperationId, operation } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../visit/visit.ts";
import type { OidcContext } from "./context.ts";
import { kindOfId, type Registration } from "./registration/registration.ts";

export interface ListQuery {
  readonly Querystring: { readonly position?: string };
}

const pageLength = 100;
const longestPosition = 8;

function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function shown(registration: Registration) {
  const { id, kind, name, redirectUris, scopes, network, createdAt, usedAt, endsAt } = registration;
  return {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    scope: scopes.join(" "),
    kind,
    network,
    initial_access_token: registration.initialToken ?? "",
    software_id: registration.softwareId ?? "",
    created: moment(createdAt),
    ...(usedAt !== undefined && { last_used: moment(usedAt) }),
    ends: moment(endsAt),
  };
}

function getRegisteredClients({ registrations }: OidcContext) {
  return async ({ query }: FastifyRequest<ListQuery>, reply: FastifyReply): Promise<FastifyReply> => {
    const { position: text = "0" } = query;
    if (!/^\d+$/u.test(text) || text.length > longestPosition) {
      return reply.code(400).send({ error: "position: must be a number" });
    }
    const position = Number(text);
    const { found, isLast } = await registrations.list(position, pageLength);
    return reply.send({ clients: found.map(shown), ...(!isLast && { next: position + pageLength }) });
  };
}

interface ClientParams {
  readonly Params: { readonly client_id?: string };
}

/** Deletes the client first, so that it obtains no token while the others are revoked. Repeating the request revokes tokens that a failure left. */
function deleteRegisteredClient({ registrations, records, audit }: OidcContext) {
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
export function registerClientRoutes(app: FastifyInstance, oidc: OidcContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), oidc.identifier);
  app.route<ListQuery>({ ...guarded("listRegisteredClients"), handler: getRegisteredClients(oidc) });
  app.route<ClientParams>({ ...guarded("deleteRegisteredClient"), handler: deleteRegisteredClient(oidc) });
}
