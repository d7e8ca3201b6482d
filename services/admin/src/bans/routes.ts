import {
  type BruteForceFlush,
  type BruteForceFlushAsync,
  type OperationId,
  operation,
} from "@postern/shared/contracts";
import { type Flushes, flushStatus } from "@postern/shared/domain/flush";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { enqueueCounted, type FlushRouteDeps, flushCounted } from "../flush/flush-route.ts";
import type { JobQueue } from "../jobs/job-queue-redis.ts";
import { readBruteForceFlush, sessionOf } from "../read-request.ts";
import { listBruteForce } from "./get-list.ts";

/** `DELETE /api/v1/bruteforce/flush`. */
function deleteBruteForceFlush(flushes: Pick<Flushes, "bruteForce">, deps: FlushRouteDeps) {
  return async (request: FastifyRequest): Promise<BruteForceFlush> => {
    const flushRequest = readBruteForceFlush(request.body);
    const flushed = await flushCounted("bruteforce", request, deps, () => flushes.bruteForce(flushRequest));
    const result = { ...flushRequest, removed_keys: [...flushed.removedKeys], status: flushStatus(flushed) };
    return { session: sessionOf(request), object: "bruteforce", operation: "flush", result };
  };
}

/** `DELETE /api/v1/bruteforce/flush/async`: 202 once the job is stored. */
function deleteBruteForceFlushAsync(queue: JobQueue, deps: FlushRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<BruteForceFlushAsync> => {
    const flushRequest = readBruteForceFlush(request.body);
    const enqueue = (): Promise<string> => queue.enqueue({ type: "BF_FLUSH", request: flushRequest });
    const result = await enqueueCounted("bruteforce", request, deps, enqueue);
    reply.code(202);
    return { session: sessionOf(request), object: "bruteforce", operation: "flush_async", result };
  };
}

export function registerBruteForceRoutes(app: FastifyInstance, context: AdminContext): void {
  const { flushes, jobs, settings } = context;
  const guarded = (id: OperationId) => guardedRoute(operation(id), settings.identifier);
  app.route({ ...guarded("flushBruteForceRule"), handler: deleteBruteForceFlush(flushes, context) });
  app.route({ ...guarded("enqueueBruteForceRuleFlush"), handler: deleteBruteForceFlushAsync(jobs.queue, context) });
  app.route({ ...guarded("listBruteForceEntries"), handler: listBruteForce(context) });
  app.route({ ...guarded("listFilteredBruteForceEntries"), handler: listBruteForce(context) });
}
