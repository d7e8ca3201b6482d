import { type CacheFlush, type CacheFlushAsync, type OperationId, operation } from "@postern/shared/contracts";
import { type Flushes, flushStatus } from "@postern/shared/domain/flush";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import type { JobQueue } from "../jobs/job-queue-redis.ts";
import { readCacheFlush, sessionOf } from "../read-request.ts";
import { enqueueCounted, type FlushRouteDeps, flushCounted } from "./flush-route.ts";

/** `DELETE /api/v1/cache/flush`. */
function deleteCacheFlush(flushes: Pick<Flushes, "cache">, deps: FlushRouteDeps) {
  return async (request: FastifyRequest): Promise<CacheFlush> => {
    const flushRequest = readCacheFlush(request.body);
    const flushed = await flushCounted("cache", request, deps, () => flushes.cache(flushRequest));
    const result = { user: flushRequest.user, removed_keys: [...flushed.removedKeys], status: flushStatus(flushed) };
    return { session: sessionOf(request), object: "cache", operation: "flush", result };
  };
}

/** `DELETE /api/v1/cache/flush/async`: 202 once the job is stored. */
function deleteCacheFlushAsync(queue: JobQueue, deps: FlushRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<CacheFlushAsync> => {
    const flushRequest = readCacheFlush(request.body);
    const enqueue = (): Promise<string> => queue.enqueue({ type: "CACHE_FLUSH", request: flushRequest });
    const result = await enqueueCounted("cache", request, deps, enqueue);
    reply.code(202);
    return { session: sessionOf(request), object: "cache", operation: "flush_async", result };
  };
}

export function registerCacheRoutes(app: FastifyInstance, context: AdminContext): void {
  const { flushes, jobs, settings } = context;
  const guarded = (id: OperationId) => guardedRoute(operation(id), settings.identifier);
  app.route({ ...guarded("flushUserCache"), handler: deleteCacheFlush(flushes, context) });
  app.route({ ...guarded("enqueueUserCacheFlush"), handler: deleteCacheFlushAsync(jobs.queue, context) });
}
