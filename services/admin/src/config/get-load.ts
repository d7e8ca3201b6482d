import type { ConfigLoad } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { auditedRequest, sessionOf } from "../read-request.ts";

/** `GET /api/v1/config/load`; 404 if disabled. */
export async function getConfigLoad(request: FastifyRequest, reply: FastifyReply, { live, audit }: AdminContext) {
  const { disabled, redactedJson } = live.current.configLoad;
  if (disabled) return reply.code(404).send();
  audit.record({ event: "configuration.read", outcome: "ok", ...auditedRequest(request) });
  const body: ConfigLoad = { session: sessionOf(request), object: "config", operation: "load", result: redactedJson };
  return reply.send(body);
}
