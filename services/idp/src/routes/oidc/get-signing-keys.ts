import type { FastifyReply, FastifyRequest } from "fastify";
import type { SigningKeyRouteDeps } from "./signing-key-deps.ts";

/** `GET /api/v1/oidc/keys`. */
export function listKeys({ keyAdministration }: SigningKeyRouteDeps) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.send({ keys: await keyAdministration.list() });
}
