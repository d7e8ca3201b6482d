import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ManageClient, Managed, ManagementRequest } from "../../oidc/registered/manage-client.ts";
import { oauthError } from "./json-reply.ts";
import { bearerOf } from "./registration-request.ts";

/** What clients need to manage their registrations. */
export interface ManagementDeps {
  readonly manageClient: ManageClient;
  readonly issuer: string;
  readonly audit: Audit;
  readonly logger: Pick<Logger, "info" | "error">;
}

export interface ManagedParams {
  readonly Params: { readonly client_id?: string };
}

export function managementRequest(request: FastifyRequest<ManagedParams>): ManagementRequest {
  return { id: request.params.client_id ?? "", bearer: bearerOf(request) };
}

/** An unknown client is answered like a wrong token (RFC 7592 §2.1). */
export function refuseManagement(
  reply: FastifyReply,
  managed: Exclude<Managed, { outcome: "ok" }>,
  issuer: string,
): FastifyReply {
  if (managed.outcome === "invalid") return oauthError(reply, 400, managed.refusal.error, managed.refusal.description);
  reply.header("www-authenticate", `Bearer realm="${issuer}", error="invalid_token"`);
  return oauthError(reply, 401, "invalid_token", "the registration access token is wrong");
}

/** Logs a temporary failure of a request, which its answer does not explain. */
export function logFailure({ logger }: Pick<ManagementDeps, "logger">) {
  return (err: Error): void => logger.error({ err }, "a registration cannot be read or written");
}
