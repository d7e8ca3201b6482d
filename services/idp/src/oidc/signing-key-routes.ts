import { type OperationId, operation } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../visit/visit.ts";
import type { OidcContext } from "./context.ts";

/** `POST /api/v1/oidc/keys/rotate`. The other replicas publish the keys at their next read. */
function rotateKeys({ audit, keyAdministration }: OidcContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const line = { event: "signing_keys.rotate", ...auditedCaller(request.caller) } as const;
    try {
      const created = await keyAdministration.rotate();
      if (created === "too_many") {
        auditVisit(audit, request, { ...line, outcome: "denied", reason: "too_many_keys" });
        return await reply.code(409).send({ error: "too many earlier keys are still published" });
      }
      auditVisit(audit, request, { ...line, outcome: "ok", target: created.join(" ") });
      return await reply.send({ created, keys: await keyAdministration.list() });
    } catch (error) {
      auditVisit(audit, request, { ...line, outcome: "failed" });
      throw error;
    }
  };
}

/** `GET /api/v1/oidc/keys`. */
function listKeys({ keyAdministration }: OidcContext) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.send({ keys: await keyAdministration.list() });
}

/** Administration of signing keys. The gateway has authenticated the caller; scopes are checked here. */
export function registerSigningKeyRoutes(app: FastifyInstance, oidc: OidcContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), oidc.identifier);
  app.route({ ...guarded("listSigningKeys"), handler: listKeys(oidc) });
  app.route({ ...guarded("rotateSigningKeys"), handler: rotateKeys(oidc) });
}
