import type { Metrics } from "@postern/shared/platform/metrics";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BasicCheck } from "../../caller-auth/basic.ts";

export interface MetricsRouteSettings {
  readonly enabled: boolean;
  /** Absent if `observability.metrics.endpoint_auth.basic` is off. */
  readonly basic: BasicCheck | undefined;
}

/** `GET /metrics`: the gateway's own metrics; 404 if the route is disabled. */
export function getMetrics(metrics: Metrics, settings: () => MetricsRouteSettings) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { enabled, basic } = settings();
    if (!enabled) return reply.code(404).send();
    if (basic !== undefined && !basic(request.raw.headers.authorization ?? "")) {
      return reply.code(401).header("www-authenticate", 'Basic realm="metrics", charset="UTF-8"').send();
    }
    const { type, body } = await metrics.exposeTo(request.raw.headers.accept);
    return reply.type(type).send(body);
  };
}
