import type { Metrics } from "@postern/shared/metrics";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BasicCheck } from "../../caller-auth/basic.ts";

export interface MetricsRouteSettings {
  readonly enabled: boolean;
  /** Absent when `observability.metrics.endpoint_auth.basic` is off. */
  readonly basic: BasicCheck | undefined;
}

/** `GET /metrics` (contract, "Configuration, tokens, hooks, misc"): the gateway's own; 404 when the route is not enabled. */
export function getMetrics(metrics: Metrics, settings: () => MetricsRouteSettings) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { enabled, basic } = settings();
    if (!enabled) return reply.code(404).send();
    if (basic !== undefined && !basic(request.raw.headers.authorization ?? "")) {
      return reply.code(401).header("www-authenticate", 'Basic realm="metrics", charset="UTF-8"').send();
    }
    return reply.type(metrics.contentType).send(await metrics.expose());
  };
}
