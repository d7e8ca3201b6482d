import { operation } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { deleteClientRegistration } from "./delete-client-registration.ts";
import type { OidcRoutesDeps } from "./deps.ts";
import { getClientRegistration } from "./get-client-registration.ts";
import { getProtectedResource } from "./get-protected-resource.ts";
import type { ManagedParams } from "./managed-registration.ts";
import { postRegisterClient } from "./post-register-client.ts";
import { putClientRegistration } from "./put-client-registration.ts";

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
