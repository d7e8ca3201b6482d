import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { deleteCacheFlush } from "./delete-flush.ts";
import { deleteCacheFlushAsync } from "./delete-flush-async.ts";

export function registerCacheRoutes(app: FastifyInstance, context: AdminContext): void {
  app.delete("/api/v1/cache/flush", deleteCacheFlush(context.flushes, context));
  app.delete("/api/v1/cache/flush/async", deleteCacheFlushAsync(context.jobs.queue, context));
}
