import { type OperationId, operation } from "@postern/shared/contracts";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { deleteCacheFlush } from "./delete-flush.ts";
import { deleteCacheFlushAsync } from "./delete-flush-async.ts";

export function registerCacheRoutes(app: FastifyInstance, context: AdminContext): void {
  const { flushes, jobs, settings } = context;
  const guarded = (id: OperationId) => guardedRoute(operation(id), settings.identifier);
  app.route({ ...guarded("flushUserCache"), handler: deleteCacheFlush(flushes, context) });
  app.route({ ...guarded("enqueueUserCacheFlush"), handler: deleteCacheFlushAsync(jobs.queue, context) });
}
