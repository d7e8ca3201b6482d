import type { CacheFlush } from "@postern/shared/contracts";
import { type Flushes, flushStatus } from "@postern/shared/domain/flush";
import type { FastifyRequest } from "fastify";
import { type FlushRouteDeps, flushCounted, sessionOf } from "../flush-route.ts";
import { readCacheFlush } from "../read-request.ts";

/** `DELETE /api/v1/cache/flush`. */
export function deleteCacheFlush(flushes: Pick<Flushes, "cache">, deps: FlushRouteDeps) {
  return async (request: FastifyRequest): Promise<CacheFlush> => {
    const flushRequest = readCacheFlush(request.body);
    const flushed = await flushCounted("cache", request, deps, () => flushes.cache(flushRequest));
    const result = { user: flushRequest.user, removed_keys: [...flushed.removedKeys], status: flushStatus(flushed) };
    return { session: sessionOf(request), object: "cache", operation: "flush", result };
  };
}
