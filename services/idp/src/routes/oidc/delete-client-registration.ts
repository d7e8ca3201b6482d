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

/** `DELETE /oidc/register/{client_id}` (RFC 7592 §2.3). */
export function deleteClientRegistration(deps: ManagementDeps) {
  const { manageClient, issuer, audit } = deps;
  return whileAvailable(async (request: FastifyRequest<ManagedParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const clientRequest = managementRequest(request);
    const managed = await manageClient.remove(clientRequest);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    auditVisit(audit, request, {
      event: "client.revoke",
      outcome: "ok",
      actor: clientRequest.id,
      target: clientRequest.id,
    });
    return noStore(reply).code(204).send();
  }, logFailure(deps));
}
