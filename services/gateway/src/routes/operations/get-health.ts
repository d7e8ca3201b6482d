import type { Health } from "@postern/shared/lifecycle";
import type { FastifyReply, FastifyRequest } from "fastify";

export const getPing = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.type("text/plain").send("pong");

/** `GET /healthz` for load balancers in front of the gateway: 200 while it can serve, 503 when it cannot. */
export function getHealth(health: Health) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const report = await health.report();
    const serves = report.status === "up" || report.status === "degraded";
    return reply.code(serves ? 200 : 503).send(report);
  };
}
