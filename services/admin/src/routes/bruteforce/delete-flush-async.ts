import type { BruteForceFlushAsync } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { JobQueue } from "../../jobs/jobs.ts";
import { enqueueCounted, type FlushRouteDeps, sessionOf } from "../flush-route.ts";
import { readBruteForceFlush } from "../read-request.ts";

/** `DELETE /api/v1/bruteforce/flush/async`: 202 once the job is stored. */
export function deleteBruteForceFlushAsync(queue: JobQueue, deps: FlushRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<BruteForceFlushAsync> => {
    const flushRequest = readBruteForceFlush(request.body);
    const enqueue = (): Promise<string> => queue.enqueue({ type: "BF_FLUSH", request: flushRequest });
    const result = await enqueueCounted("bruteforce", request, deps, enqueue);
    reply.code(202);
    return { session: sessionOf(request), object: "bruteforce", operation: "flush_async", result };
  };
}
