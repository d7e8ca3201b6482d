import { type OperationId, operation } from "@postern/shared/contracts";
import { type Audit, type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import { type Flushed, flushStatus } from "@postern/shared/domain/flush";
import type { FlushJob } from "@postern/shared/domain/jobs";
import { type Caller, guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { readBruteForceFlush, readCacheFlush, sessionOf } from "../read-request.ts";

type FlushContext = Pick<AdminContext, "adminMetrics" | "logger" | "audit" | "flushes" | "jobs" | "settings">;

const auditNames = { cache: "cache.flush", bruteforce: "brute_force.flush" } as const;
type FlushObject = keyof typeof auditNames;

function targetOf({ body }: FastifyRequest): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const target: unknown = Reflect.get(body, "user") ?? Reflect.get(body, "ip_address");
  return typeof target === "string" ? target : undefined;
}

/** Called after failures too, because a failed flush may have removed some keys. */
function written(object: FlushObject, request: FastifyRequest, audit: Audit) {
  return (outcome: AuditOutcome, reason?: "queued"): void => {
    const session = sessionOf(request);
    const target = targetOf(request);
    audit.record({ event: auditNames[object], outcome, ...auditedCaller(request.caller), target, session, reason });
  };
}

/** Runs a flush for a waiting caller; counts and logs it. */
async function flushCounted(
  object: FlushObject,
  request: FastifyRequest,
  { adminMetrics, logger, audit }: FlushContext,
  flush: () => Promise<Flushed>,
): Promise<Flushed> {
  const record = written(object, request, audit);
  try {
    const flushed = await flush();
    const { removedKeys, isComplete, isLookupDenied, isScriptDone } = flushed;
    const { length } = removedKeys;
    const complete = isComplete && !isLookupDenied && isScriptDone;
    record("ok");
    adminMetrics.flushed(object, length === 0 ? "nothing" : "flushed");
    logger.info({ session: sessionOf(request), object, removed: length, complete }, "flushed");
    return flushed;
  } catch (error) {
    adminMetrics.flushed(object, "failed");
    record("failed");
    throw error;
  }
}

/** Queues a flush for a worker, counts and logs it, and resolves with the job's id. */
async function enqueueCounted(
  object: FlushObject,
  request: FastifyRequest,
  { adminMetrics, logger, audit }: FlushContext,
  enqueue: () => Promise<string>,
): Promise<{ jobId: string; status: "QUEUED" }> {
  const record = written(object, request, audit);
  try {
    const jobId = await enqueue();
    adminMetrics.flushed(object, "queued");
    record("ok", "queued");
    logger.info({ session: sessionOf(request), object, jobId }, "flush queued");
    return { jobId, status: "QUEUED" };
  } catch (error) {
    adminMetrics.flushed(object, "not_queued");
    record("failed");
    throw error;
  }
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
  const guarded = (id: OperationId) => guardedRoute(operation(id), context.settings.identifier);
  app.route({
    ...guarded(ids.now),
    handler: async (request: FastifyRequest) => {
      const flushRequest = read(request.body);
      const flushed = await flushCounted(object, request, context, () => flush(flushRequest, request.caller));
      const result = { ...flushRequest, removed_keys: [...flushed.removedKeys], status: flushStatus(flushed) };
      return { session: sessionOf(request), object, operation: "flush", result };
    },
  });
  app.route({
    ...guarded(ids.queued),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const job = jobOf(read(request.body));
      const result = await enqueueCounted(object, request, context, () => context.jobs.queue.enqueue(job));
      reply.code(202);
      return { session: sessionOf(request), object, operation: "flush_async", result };
    },
  });
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
