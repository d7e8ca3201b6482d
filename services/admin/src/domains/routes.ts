import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../context.ts";
import { deleteDomain } from "./delete-domain.ts";
import { getDomain, type NameParams } from "./get-domain.ts";
import { getDomains } from "./get-domains.ts";

/** `/api/v1/domains`, and the flush of a record. */
export function registerDomains(app: FastifyInstance, context: AdminContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), context.settings.identifier);
  app.route({ ...guarded("flushDomain"), handler: deleteDomain(context) });
  app.route({ ...guarded("listDomains"), handler: getDomains(context) });
  app.route<NameParams>({ ...guarded("showDomain"), handler: getDomain(context) });
}
