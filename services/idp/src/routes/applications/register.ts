import { operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import { type ApplicationsRouteDeps, getApplications } from "./get-applications.ts";

/** The gateway has authenticated the caller. */
export function registerApplications(app: FastifyInstance, deps: ApplicationsRouteDeps, identifier: string): void {
  app.route({ ...guardedRoute(operation("listApplications"), identifier), handler: getApplications(deps) });
}
