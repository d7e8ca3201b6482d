import type { FastifyInstance } from "fastify";
import type { AdminContext } from "../../context.ts";
import { deleteCacheFlush } from "./delete-flush.ts";

export function registerCacheRoutes(app: FastifyInstance, context: AdminContext): void {
  app.delete("/api/v1/cache/flush", deleteCacheFlush(context.flushes, context));
}
