import type { CacheFlushAsync } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { JobQueue } from "../../jobs/jobs.ts";
import { enqueueCounted, type FlushRouteDeps, sessionOf } from "../flush-route.ts";
import { readCacheFlush } from "../read-request.ts";

/** `DELETE /api/v1/cache/flush/async`: 202 once the job is stored. */
export function deleteCacheFlushAsync(queue: JobQueue, deps: FlushRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<CacheFlushAsync> => {
    const flushRequest = readCacheFlush(request.body);
    const enqueue = (): Promise<string> => queue.enqueue({ type: "CACHE_FLUSH", request: flushRequest });
    const result = await enqueueCounted("cache", request, deps, enqueue);
    reply.code(202);
    return { session: sessionOf(request), object: "cache", operation: "flush_async", result };
  };
}
