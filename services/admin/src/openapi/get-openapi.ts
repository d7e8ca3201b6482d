import { type DocumentFormat, openapiTypes, type RenderedDocument } from "@postern/shared/platform/openapi";
import type { FastifyReply, FastifyRequest } from "fastify";

/** `GET /api/v1/openapi.yaml` and `.json`: for every authenticated API caller. */
export function getOpenapi(document: () => RenderedDocument, format: DocumentFormat) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.type(openapiTypes[format]).send(document()[format]);
}
