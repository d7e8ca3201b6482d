import { traceRequests } from "@postern/shared/platform/http";
import type { Tracer } from "@postern/shared/platform/tracing";
import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Begins the trace of each request. A caller may select the trace to join, and so decide about sampling, only if it is authenticated or a
 * trusted proxy. Requests that are rejected before their handler are not traced.
 */
export function traceGateway(
  app: FastifyInstance,
  tracer: Tracer,
  isFromTrustedProxy: (request: FastifyRequest) => boolean,
): void {
  traceRequests<FastifyRequest>(app, tracer, (start, request) => {
    const isTrusted = request.callerMethod !== "none" || isFromTrustedProxy(request);
    const { traceparent } = request.raw.headers;
    const named = isTrusted && typeof traceparent === "string" ? traceparent : undefined;
    const startHere = () => {
      const begun = start();
      return { ...begun, attributes: { ...begun.attributes, "postern.session": request.id } };
    };
    return tracer.begin(startHere, named);
  });
}
