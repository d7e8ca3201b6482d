import type { FastifyReply, FastifyRequest } from "fastify";
import type { ListApplications } from "../../applications/list-applications.ts";

export interface ApplicationsRouteDeps {
  readonly listApplications: ListApplications;
}

/** `GET /api/v1/applications` */
export function getApplications({ listApplications }: ApplicationsRouteDeps) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header("cache-control", "no-store").send(await listApplications());
}
