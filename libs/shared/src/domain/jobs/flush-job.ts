import { BruteForceFlushRequest, CacheFlushRequest } from "../../contracts/admin/flush-operations.ts";
import { compileCheck } from "../../platform/bus/schema-check.ts";

/** The parameters of a job. They contain no secrets, because job data is stored unencrypted in Redis. */
export type FlushJob =
  | { readonly type: "CACHE_FLUSH"; readonly request: CacheFlushRequest }
  | { readonly type: "BF_FLUSH"; readonly request: BruteForceFlushRequest };

const cacheFlush = compileCheck(CacheFlushRequest);
const bruteForceFlush = compileCheck(BruteForceFlushRequest);

/** Undefined for data that no version of Postern enqueues. */
export function parseFlushJob(type: string, request: unknown): FlushJob | undefined {
  if (type === "CACHE_FLUSH") return cacheFlush.accepts(request) ? { type, request } : undefined;
  if (type === "BF_FLUSH") return bruteForceFlush.accepts(request) ? { type, request } : undefined;
  return undefined;
}
