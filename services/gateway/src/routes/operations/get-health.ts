import type { Health } from "@postern/shared/platform/lifecycle";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Channels } from "../../plugins/channels.ts";

export const getPing = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.type("text/plain").send("pong");

/** `GET /healthz` for load balancers in front of the gateway: 200 while it can serve requests, otherwise 503. */
export function getHealth(health: Health, { isFront }: Pick<Channels, "isFront">) {
  return async ({ raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const report = await health.report();
    const serves = report.status === "up" || report.status === "degraded";
    // The front channel does not reveal the state of dependencies.
    return reply.code(serves ? 200 : 503).send(isFront(raw) ? { status: report.status } : report);
  };
}
