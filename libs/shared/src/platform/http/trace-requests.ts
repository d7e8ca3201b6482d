import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { systemClock } from "../time/clock.ts";
import type { Span, SpanStart, Tracer } from "../tracing/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Milliseconds since the epoch. Only in services that trace. */
    arrivedAtMs: number;
  }
}

function serverSpan({ method, routeOptions, arrivedAtMs }: FastifyRequest): SpanStart {
  const route = routeOptions.url ?? "unknown path";
  const attributes = { "http.request.method": method, "http.route": route };
  return { name: `${method} ${route}`, kind: "server", attributes, startedAtMs: arrivedAtMs };
}

function endWithResponse(span: Span, { raw }: FastifyReply): void {
  raw.once("close", () => {
    span.set({ "http.response.status_code": raw.statusCode });
    span.end(raw.statusCode >= 500 ? String(raw.statusCode) : undefined);
  });
}

/**
 * Adds a span for each request that reaches its handler: by then the caller is known. It begins with the request's arrival, and names the
 * route's pattern, because paths and queries contain names and codes.
 */
export function traceRequests(
  app: FastifyInstance,
  { run }: Tracer,
  start: (span: () => SpanStart, request: FastifyRequest) => Span | undefined,
): void {
  app.decorateRequest("arrivedAtMs", 0);
  app.addHook("onRequest", (request, _reply, done) => {
    request.arrivedAtMs = systemClock.now();
    done();
  });
  app.addHook("preHandler", (request, reply, done) => {
    const span = start(() => serverSpan(request), request);
    if (span === undefined) {
      done();
      return;
    }
    endWithResponse(span, reply);
    run(span, done);
  });
}

/** In services behind the gateway: continues the traces that the gateway passes on. */
export function traceForwarded(app: FastifyInstance, tracer: Tracer | undefined): void {
  if (tracer === undefined) return;
  traceRequests(app, tracer, (start, { raw, caller }) => {
    const { traceparent } = raw.headers;
    return caller === null || typeof traceparent !== "string" ? undefined : tracer.resume(start(), traceparent);
  });
}
