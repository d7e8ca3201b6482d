import { type Audit, type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import { type Flushed } from "@postern/shared/domain/flush";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyRequest } from "fastify";
import type { AdminMetrics, FlushObject } from "../metrics.ts";
import { sessionOf } from "../read-request.ts";

export interface FlushRouteDeps {
  readonly adminMetrics: Pick<AdminMetrics, "flushed">;
  readonly logger: Logger;
  readonly audit: Audit;
}

const auditNames = { cache: "cache.flush", bruteforce: "brute_force.flush" } as const;

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
export async function flushCounted(
  object: FlushObject,
  request: FastifyRequest,
  { adminMetrics, logger, audit }: FlushRouteDeps,
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
export async function enqueueCounted(
  object: FlushObject,
  request: FastifyRequest,
  { adminMetrics, logger, audit }: FlushRouteDeps,
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
