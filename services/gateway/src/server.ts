import { pathTo } from "@postern/shared/contracts";
import { errorCodes } from "@postern/shared/platform/errors";
import {
  createMethodTable,
  ignoreQueryMethod,
  noRouteSchemas,
  onlyOperations,
  traceRequests,
  unreadablePaths,
} from "@postern/shared/platform/http";
import type { Tracer } from "@postern/shared/platform/tracing";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from "fastify";
import { registerAuthRoutes } from "./auth/register.ts";
import type { GatewayContext } from "./context.ts";
import { registerAuthPolicy } from "./dovecot/endpoint.ts";
import { sendError } from "./http/reply.ts";
import { registerForwarding } from "./internal-services/forward.ts";
import { forwardedUrls } from "./internal-services/paths.ts";
import { getHealth, getMetrics } from "./probes.ts";
import { registerStatus } from "./public-status/endpoint.ts";
import { answerUnrouted, refuseTwoHosts } from "./unrouted.ts";

/**
 * Begins the trace of each request. A caller may select the trace to join, and so decide about sampling, only if it is authenticated or a
 * trusted proxy. Requests that are rejected before their handler are not traced.
 */
function traceGateway(
  app: FastifyInstance,
  tracer: Tracer,
  isFromTrustedProxy: (request: FastifyRequest) => boolean,
): void {
  traceRequests(app, tracer, (start, request) => {
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

/** Errors that Fastify and Node mark as the client's fault. */
function isClientFault({ statusCode }: FastifyError): boolean {
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500;
}

/** The gateway: the back channel's dialects, the operators' pages, and the paths of the services behind it. */
export async function createGateway(context: GatewayContext): Promise<FastifyInstance> {
  const { settings, names, logger, channels, live, addresses, tracer } = context;
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: context.newSession,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    ...noRouteSchemas,
    ...unreadablePaths(settings.identifier),
  });
  onlyOperations(app, "gateway", settings.siteNames, new Set(forwardedUrls()));
  ignoreQueryMethod(app);
  const methods = createMethodTable();
  app.addHook("onRoute", ({ method, url }) => methods.add(method, url));
  // The body of an unknown path is not read; the answer is 404 in any case. Routes that read a body register their own parser.
  app.removeAllContentTypeParsers();
  // Unlike that of "*", the parser of a pattern is remembered for each media type, which then is not parsed again.
  app.addContentTypeParser(/^/u, (_request, _payload, done) => done(null));
  app.decorateRequest("callerMethod", "none");
  app.decorateRequest("isOpenCaller", false);
  app.decorateRequest("callerName", null);
  app.decorateRequest("callerToken", null);
  app.decorateRequest("callerDomains", null);
  if (tracer !== undefined) traceGateway(app, tracer, addresses.isFromTrustedProxy);
  app.addHook("onRequest", refuseTwoHosts(names));
  const isApart = settings.frontAddresses.length > 0 || settings.consoleAddresses.length > 0;
  app.setNotFoundHandler(answerUnrouted(context, methods, isApart));
  if (isApart) app.addHook("onRequest", channels.onlyOwn);
  if (settings.domainListeners.length > 0) app.addHook("onRequest", context.listenerDomains.recall);
  app.setErrorHandler((err: FastifyError, request, reply) => {
    const status = isClientFault(err) ? 400 : 500;
    if (status === 500) logger.error({ session: request.id, err }, "request failed");
    const error = status === 500 ? errorCodes.INTERNAL.publicMessage : "the request cannot be read";
    sendError(reply, names, { status, error });
  });
  await app.register(async (scope) => registerAuthRoutes(scope, context));
  await app.register(async (scope) => registerAuthPolicy(scope, context));
  const method = ["GET", "HEAD"];
  app.route({ method, url: pathTo("ping"), handler: (_request, reply) => reply.type("text/plain").send("pong") });
  app.route({ method, url: pathTo("health"), handler: getHealth(context.health, channels) });
  app.route({ method, url: pathTo("metrics"), handler: getMetrics(context.metrics, live) });
  registerStatus(app, context.publicStatus, names);
  await registerForwarding(app, context.forward);
  await app.ready();
  return app;
}
