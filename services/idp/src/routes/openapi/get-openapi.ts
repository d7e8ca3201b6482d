import { type DocumentFormat, openapiTypes, type RenderedDocument } from "@postern/shared/platform/openapi";
import type { FastifyReply, FastifyRequest } from "fastify";

/** `GET /.well-known/openapi.yaml` and `.json` without authentication. */
export function getOpenapi(document: () => RenderedDocument, format: DocumentFormat) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.type(openapiTypes[format]).send(document()[format]);
}
