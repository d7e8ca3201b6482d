import { systemClock } from "../time/clock.ts";
import type { Span, SpanStart, Tracer } from "../tracing/index.ts";

/** The members of a Fastify request and reply that are used here. */
interface TracedRequest {
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
}

interface TracedReply {
  readonly raw: { readonly statusCode: number; once(event: "close", listener: () => void): unknown };
}

type TraceHook<Request> = (request: Request, reply: TracedReply, done: () => void) => void;

/** The members of a Fastify instance to which the hooks are added. */
interface TracedApp<Request> {
  addHook(name: "onRequest", hook: TraceHook<Request>): unknown;
  addHook(name: "preHandler", hook: TraceHook<Request>): unknown;
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
  start: (span: SpanStart, request: Request) => Span | undefined,
): void {
  const arrivals = new WeakMap<Request, number>();
  app.addHook("onRequest", (request, _reply, done) => {
    arrivals.set(request, systemClock.now());
    done();
  });
  app.addHook("preHandler", (request, reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? "unknown path";
    const attributes = { "http.request.method": method, "http.route": route };
    const startedAtMs = arrivals.get(request) ?? systemClock.now();
    const span = start({ name: `${method} ${route}`, kind: "server", attributes, startedAtMs }, request);
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
    return caller === null || typeof traceparent !== "string" ? undefined : tracer.resume(start, traceparent);
  });
}
