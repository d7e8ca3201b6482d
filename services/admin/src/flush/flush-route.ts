import { type OperationId } from "@postern/shared/contracts";
import { type Flushed, flushStatus } from "@postern/shared/domain/flush";
import type { FlushJob } from "@postern/shared/domain/jobs";
import { type Caller } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { auditing, readBruteForceFlush, readCacheFlush, serve, sessionOf } from "../read-request.ts";

type FlushContext = Pick<AdminContext, "adminMetrics" | "logger" | "audit" | "flushes" | "jobs" | "settings">;

const auditNames = { cache: "cache.flush", bruteforce: "brute_force.flush" } as const;
type FlushObject = keyof typeof auditNames;

function targetOf({ body }: FastifyRequest): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const target: unknown = Reflect.get(body, "user") ?? Reflect.get(body, "ip_address");
  return typeof target === "string" ? target : undefined;
}

/** The audit record and the metric of a flush. A failed one may have removed some keys. */
function counting(object: FlushObject, request: FastifyRequest, { adminMetrics, audit }: FlushContext) {
  const { write, run } = auditing({ audit }, request, { event: auditNames[object], target: targetOf(request) });
  return {
    run: <Done>(work: () => Promise<Done>, failure: "failed" | "not_queued"): Promise<Done> =>
      run(work, "failed").catch((error: unknown) => {
        adminMetrics.flushed(object, failure);
        throw error;
      }),
    succeed: (result: "nothing" | "flushed" | "queued"): void => {
      write("ok", { reason: result === "queued" ? result : undefined });
      adminMetrics.flushed(object, result);
    },
  };
}

/** What one kind of flush does with its request, immediately or as a job. */
interface FlushKind<FlushRequest> {
  readonly object: FlushObject;
  readonly ids: { readonly now: OperationId; readonly queued: OperationId };
  readonly read: (body: unknown) => FlushRequest;
  readonly flush: (request: FlushRequest, caller: Caller | null) => Promise<Flushed>;
  readonly jobOf: (request: FlushRequest) => FlushJob;
}

/** `DELETE` of the path, and of the path with `/async`, which answers 202 once the job is stored. */
function registerFlush<FlushRequest extends object>(
  app: FastifyInstance,
  context: FlushContext,
  { object, ids, read, flush, jobOf }: FlushKind<FlushRequest>,
): void {
  const { logger, jobs } = context;
  const now = async (request: FastifyRequest) => {
    const flushRequest = read(request.body);
    const { run, succeed } = counting(object, request, context);
    const done = await run(() => flush(flushRequest, request.caller), "failed");
    const { removedKeys, isComplete, isLookupDenied, isScriptDone } = done;
    const session = sessionOf(request);
    succeed(removedKeys.length === 0 ? "nothing" : "flushed");
    const complete = isComplete && !isLookupDenied && isScriptDone;
    logger.info({ session, object, removed: removedKeys.length, complete }, "flushed");
    const result = { ...flushRequest, removed_keys: [...removedKeys], status: flushStatus(done) };
    return { session, object, operation: "flush", result };
  };
  const queued = async (request: FastifyRequest, reply: FastifyReply) => {
    const job = jobOf(read(request.body));
    const { run, succeed } = counting(object, request, context);
    const jobId = await run(() => jobs.queue.enqueue(job), "not_queued");
    const session = sessionOf(request);
    succeed("queued");
    logger.info({ session, object, jobId }, "flush queued");
    reply.code(202);
    return { session, object, operation: "flush_async", result: { jobId, status: "QUEUED" } };
  };
  serve(app, context, [
    [ids.now, now],
    [ids.queued, queued],
  ]);
}

/** `/api/v1/cache/flush` and `/api/v1/bruteforce/flush`. */
export function registerFlushRoutes(app: FastifyInstance, context: FlushContext): void {
  const { flushes } = context;
  registerFlush(app, context, {
    object: "cache",
    ids: { now: "flushUserCache", queued: "enqueueUserCacheFlush" },
    read: readCacheFlush,
    // Who is limited to domains must not lift a ban by wrong passwords for an account of its own.
    flush: (request, caller) => flushes.cache(request, { keepsBans: caller?.domains !== undefined }),
    jobOf: (request) => ({ type: "CACHE_FLUSH", request }),
  });
  registerFlush(app, context, {
    object: "bruteforce",
    ids: { now: "flushBruteForceRule", queued: "enqueueBruteForceRuleFlush" },
    read: readBruteForceFlush,
    flush: (request) => flushes.bruteForce(request),
    jobOf: (request) => ({ type: "BF_FLUSH", request }),
  });
}
