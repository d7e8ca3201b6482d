import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerAuthDeps } from "./caller-auth.ts";

/** 429: the failure budget of the caller's address is empty for this long. */
export function rejectExhausted(
  { reject, counted }: Pick<CallerAuthDeps, "reject" | "counted">,
  request: FastifyRequest,
  reply: FastifyReply,
  retryAfterMs: number,
): void {
  counted("budget_exhausted");
  reject(request, reply, { outcome: "budget_exhausted", retryAfterMs });
}
