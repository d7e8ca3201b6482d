import type { AsyncJobStatus } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { paramOf, sessionOf } from "../read-request.ts";

/** `GET /api/v1/async/jobs/{jobId}`; 404 for an unknown job, and for one whose record has expired. */
export async function getJob(
  request: FastifyRequest,
  reply: FastifyReply,
  { jobs }: AdminContext,
): Promise<AsyncJobStatus | { readonly error: string }> {
  const result = await jobs.read(paramOf(request, "jobId"));
  if (result === undefined) {
    reply.code(404);
    return { error: "unknown job" };
  }
  return { session: sessionOf(request), object: "async", operation: "status", result };
}
