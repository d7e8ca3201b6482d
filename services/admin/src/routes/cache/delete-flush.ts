import type { CacheFlush } from "@postern/shared/contracts";
import { type Flushes, flushStatus } from "@postern/shared/flush";
import type { FastifyRequest } from "fastify";
import { type FlushRouteDeps, flushCounted, sessionOf } from "../flush-route.ts";
import { readCacheFlush } from "../read-request.ts";

/** `DELETE /api/v1/cache/flush` (contract, "Cache and brute force administration"). */
export function deleteCacheFlush(flushes: Pick<Flushes, "cache">, deps: FlushRouteDeps) {
  return async (request: FastifyRequest): Promise<CacheFlush> => {
    const asked = readCacheFlush(request.body);
    const flushed = await flushCounted("cache", request, deps, () => flushes.cache(asked));
    const result = { user: asked.user, removed_keys: [...flushed.removedKeys], status: flushStatus(flushed) };
    return { session: sessionOf(request), object: "cache", operation: "flush", result };
  };
}
