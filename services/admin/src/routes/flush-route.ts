import { type Flushed } from "@postern/shared/flush";
import type { Logger } from "@postern/shared/logging";
import type { FastifyRequest } from "fastify";
import type { AdminMetrics, FlushObject } from "../metrics.ts";

export interface FlushRouteDeps {
  readonly adminMetrics: Pick<AdminMetrics, "flushed">;
  readonly logger: Logger;
}

export function sessionOf({ caller, id }: FastifyRequest): string {
  return caller?.session ?? id;
}

/** Runs a flush that its caller waits for, counted and logged. */
export async function flushCounted(
  object: FlushObject,
  request: FastifyRequest,
  { adminMetrics, logger }: FlushRouteDeps,
  flush: () => Promise<Flushed>,
): Promise<Flushed> {
  try {
    const flushed = await flush();
    const { length } = flushed.removedKeys;
    adminMetrics.flushed(object, length === 0 ? "nothing" : "flushed");
    logger.info({ session: sessionOf(request), object, removed: length, complete: flushed.isComplete }, "flushed");
    return flushed;
  } catch (error) {
    adminMetrics.flushed(object, "failed");
    throw error;
  }
}

/** Keeps a flush for a worker, counted and logged, and resolves with the job's id. */
export async function enqueueCounted(
  object: FlushObject,
  request: FastifyRequest,
  { adminMetrics, logger }: FlushRouteDeps,
  enqueue: () => Promise<string>,
): Promise<{ jobId: string; status: "QUEUED" }> {
  try {
    const jobId = await enqueue();
    adminMetrics.flushed(object, "queued");
    logger.info({ session: sessionOf(request), object, jobId }, "flush queued");
    return { jobId, status: "QUEUED" };
  } catch (error) {
    adminMetrics.flushed(object, "not_queued");
    throw error;
  }
}
