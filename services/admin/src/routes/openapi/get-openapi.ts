import { type DocumentFormat, openapiTypes, type RenderedDocument } from "@postern/shared/openapi";
import type { FastifyReply, FastifyRequest } from "fastify";

/** `GET /api/v1/openapi.yaml` and `.json` (contract, "Versioning", 5): any caller of the back channel. */
export function getOpenapi(document: () => RenderedDocument, format: DocumentFormat) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.type(openapiTypes[format]).send(document()[format]);
}
