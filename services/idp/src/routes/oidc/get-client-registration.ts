import type { FastifyReply, FastifyRequest } from "fastify";
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

/** `GET /oidc/register/{client_id}` (RFC 7592 §2.1). */
export function getClientRegistration(deps: ManagementDeps) {
  const { manageClient, issuer } = deps;
  return whileAvailable(async (request: FastifyRequest<ManagedParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const clientRequest = managementRequest(request);
    const managed = await manageClient.read(clientRequest);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    return noStore(reply).send(shownRegistration(managed.registration, issuer, clientRequest.bearer));
  }, logFailure(deps));
}
