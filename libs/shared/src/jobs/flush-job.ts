import { compileCheck } from "../bus/schema-check.ts";
import { BruteForceFlushRequest, CacheFlushRequest } from "../contracts/admin/flush.ts";

/** What a job is to do. Nothing of it is a secret: job data lies in Redis as it is. */
export type FlushJob =
  | { readonly type: "CACHE_FLUSH"; readonly request: CacheFlushRequest }
  | { readonly type: "BF_FLUSH"; readonly request: BruteForceFlushRequest };

const cacheFlush = compileCheck(CacheFlushRequest);
const bruteForceFlush = compileCheck(BruteForceFlushRequest);

/** Undefined for what no version of ours enqueues. */
export function parseFlushJob(type: string, request: unknown): FlushJob | undefined {
  if (type === "CACHE_FLUSH") return cacheFlush.accepts(request) ? { type, request } : undefined;
  if (type === "BF_FLUSH") return bruteForceFlush.accepts(request) ? { type, request } : undefined;
  return undefined;
}
