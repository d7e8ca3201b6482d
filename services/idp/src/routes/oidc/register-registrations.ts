import { operation } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { protectedResource } from "../../oidc/settings/mail-resources.ts";
import type { OidcSettings } from "../../oidc/settings/oidc-settings.ts";
import { auditVisit } from "../../visit/visit.ts";
import type { OidcRoutesDeps } from "./deps.ts";
import { noStore, oauthError } from "./json-reply.ts";
import {
  logFailure,
  type ManagedParams,
  type ManagementDeps,
  managementRequest,
  refuseManagement,
} from "./managed-registration.ts";
import { postRegisterClient } from "./post-register-client.ts";
import { whileAvailable } from "./registration-request.ts";
import { shownRegistration } from "./shown-registration.ts";

/** `PUT /oidc/register/{client_id}` (RFC 7592 §2.2). */
function putClientRegistration(deps: ManagementDeps) {
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

/** `DELETE /oidc/register/{client_id}` (RFC 7592 §2.3). */
function deleteClientRegistration(deps: ManagementDeps) {
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

/** `GET /oidc/register/{client_id}` (RFC 7592 §2.1). */
function getClientRegistration(deps: ManagementDeps) {
  const { manageClient, issuer } = deps;
  return whileAvailable(async (request: FastifyRequest<ManagedParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const clientRequest = managementRequest(request);
    const managed = await manageClient.read(clientRequest);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    return noStore(reply).send(shownRegistration(managed.registration, issuer, clientRequest.bearer));
  }, logFailure(deps));
}

/** `GET /.well-known/oauth-protected-resource` (RFC 9728 §3): from the mail services to their authorization server. */
function getProtectedResource(settings: () => OidcSettings) {
  return (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const metadata = protectedResource(settings());
    reply.header("access-control-allow-origin", "*");
    return metadata === undefined ? oauthError(reply, 404, "not_found") : reply.send(metadata);
  };
}

/** Registration of clients, and the metadata by which mail clients find it. */
export function registerRegistrations(app: FastifyInstance, oidc: OidcRoutesDeps & { readonly audit: Audit }): void {
  const settings = () => oidc.schedule.settings;
  app.route({ ...routeOf(operation("registerClient")), handler: postRegisterClient(oidc) });
  app.route<ManagedParams>({ ...routeOf(operation("readClientRegistration")), handler: getClientRegistration(oidc) });
  app.route<ManagedParams>({ ...routeOf(operation("updateClientRegistration")), handler: putClientRegistration(oidc) });
  app.route<ManagedParams>({
    ...routeOf(operation("deleteClientRegistration")),
    handler: deleteClientRegistration(oidc),
  });
  app.route({ ...routeOf(operation("protectedResourceMetadata")), handler: getProtectedResource(settings) });
}
