import type { FastifyReply, FastifyRequest } from "fastify";

/** `GET /api/v1/dev/ui/version`: a browser that shows a page reloads it when the version changes. */
export function getVersion(version: string) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header("cache-control", "no-store").send({ version });
}
