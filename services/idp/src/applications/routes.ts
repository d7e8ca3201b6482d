import { operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { ListApplications } from "./list-applications.ts";

/** `GET /api/v1/applications`; the gateway has authenticated the caller. */
export function registerApplications(
  app: FastifyInstance,
  { listApplications }: { readonly listApplications: ListApplications },
  identifier: string,
): void {
  app.route({
    ...guardedRoute(operation("listApplications"), identifier),
    handler: async (_request, reply) => reply.header("cache-control", "no-store").send(await listApplications()),
  });
}
