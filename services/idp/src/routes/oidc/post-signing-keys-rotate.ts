import { auditedCaller } from "@postern/shared/domain/audit";
import type { FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../audit-visit.ts";
import type { SigningKeyRouteDeps } from "./signing-key-deps.ts";

/** `POST /api/v1/oidc/keys/rotate`. The other replicas publish the keys at their next read. */
export function rotateKeys({ audit, keyAdministration }: SigningKeyRouteDeps) {
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
