import type { Health } from "@postern/shared/platform/lifecycle";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Channels } from "./connection/channels.ts";
import type { Live } from "./settings.ts";

/** `GET /healthz` for load balancers in front of the gateway: 200 while it can serve requests, otherwise 503. */
export function getHealth(health: Health, { isFront }: Pick<Channels, "isFront">) {
  return async ({ raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const report = await health.report();
    const serves = report.status === "up" || report.status === "degraded";
    // The front channel does not reveal the state of dependencies.
    return reply.code(serves ? 200 : 503).send(isFront(raw) ? { status: report.status } : report);
  };
}

/** `GET /metrics`: the gateway's own metrics; 404 if the route is disabled. */
export function getMetrics(metrics: Metrics, live: Live) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { enabled, isCaller } = live.current.metricsRoute;
    if (!enabled) return reply.code(404).send();
    if (isCaller?.(request.raw.headers.authorization ?? "") === false) {
      return reply.code(401).header("www-authenticate", 'Basic realm="metrics", charset="UTF-8"').send();
    }
    const { type, body } = await metrics.exposeTo(request.raw.headers.accept);
    return reply.type(type).send(body);
  };
}
