import type { FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../audit-visit.ts";
import { noStore } from "./json-reply.ts";
import {
  logFailure,
  type ManagedParams,
  type ManagementDeps,
  managementRequest,
  refuseManagement,
} from "./managed-registration.ts";
import { whileAvailable } from "./registration-request.ts";
import { shownRegistration } from "./shown-registration.ts";

/** `PUT /oidc/register/{client_id}` (RFC 7592 §2.2). */
export function putClientRegistration(deps: ManagementDeps) {
  const { manageClient, issuer, audit } = deps;
  return whileAvailable(async (request: FastifyRequest<ManagedParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const clientRequest = managementRequest(request);
    const managed = await manageClient.replace(clientRequest, request.body);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    auditVisit(audit, request, {
      event: "client.update",
      outcome: "ok",
      actor: clientRequest.id,
      target: clientRequest.id,
    });
    return noStore(reply).send(shownRegistration(managed.registration, issuer, clientRequest.bearer));
  }, logFailure(deps));
}
