import type { AsyncJobStatus } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionOf } from "../read-request.ts";
import type { ReadJob } from "./job-status-redis.ts";

function jobIdOf({ params }: FastifyRequest): string {
  return typeof params === "object" && params !== null && "jobId" in params ? String(params.jobId) : "";
}

/** `GET /api/v1/async/jobs/{jobId}`; 404 for an unknown job, and for one whose record has expired. */
export function getJob(read: ReadJob) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<AsyncJobStatus | { readonly error: string }> => {
    const result = await read(jobIdOf(request));
    if (result === undefined) {
      reply.code(404);
      return { error: "unknown job" };
    }
    return { session: sessionOf(request), object: "async", operation: "status", result };
  };
}
