import { systemClock } from "../time/clock.ts";
import type { Span, SpanStart, Tracer } from "../tracing/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Milliseconds since the epoch. Only in services that trace. */
    arrivedAtMs: number;
  }
}

/** The members of a Fastify request and reply that are used here. */
interface TracedRequest {
  arrivedAtMs: number;
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
}

interface TracedReply {
  readonly raw: { readonly statusCode: number; once(event: "close", listener: () => void): unknown };
}

type TraceHook<Request> = (request: Request, reply: TracedReply, done: () => void) => void;

/** The members of a Fastify instance to which the hooks are added. */
interface TracedApp<Request> {
  decorateRequest(name: "arrivedAtMs", value: number): unknown;
  addHook(name: "onRequest", hook: TraceHook<Request>): unknown;
  addHook(name: "preHandler", hook: TraceHook<Request>): unknown;
}

function serverSpan({ method, routeOptions, arrivedAtMs }: TracedRequest): SpanStart {
  const route = routeOptions.url ?? "unknown path";
  const attributes = { "http.request.method": method, "http.route": route };
  return { name: `${method} ${route}`, kind: "server", attributes, startedAtMs: arrivedAtMs };
}

function endWithResponse(span: Span, { raw }: TracedReply): void {
  raw.once("close", () => {
    span.set({ "http.response.status_code": raw.statusCode });
    span.end(raw.statusCode >= 500 ? String(raw.statusCode) : undefined);
  });
}

/**
 * Adds a span for each request that reaches its handler: by then the caller is known. It begins with the request's arrival, and names the
 * route's pattern, because paths and queries contain names and codes.
 */
export function traceRequests<Request extends TracedRequest>(
  app: TracedApp<Request>,
  { run }: Tracer,
  start: (span: () => SpanStart, request: Request) => Span | undefined,
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

interface ForwardedRequest extends TracedRequest {
  readonly raw: { readonly headers: { readonly [name: string]: string | string[] | undefined } };
  readonly caller: object | null;
}

/** In services behind the gateway: continues the traces that the gateway passes on. */
export function traceForwarded(app: TracedApp<ForwardedRequest>, tracer: Tracer | undefined): void {
  if (tracer === undefined) return;
  traceRequests(app, tracer, (start, { raw, caller }) => {
    const { traceparent } = raw.headers;
    return caller === null || typeof traceparent !== "string" ? undefined : tracer.resume(start(), traceparent);
  });
}
