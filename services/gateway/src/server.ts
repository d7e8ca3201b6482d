import { AppError } from "@postern/shared/errors";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { GatewayContext } from "./context.ts";
import type { DialectReply } from "./dialects/reply.ts";
import { registerForwarding } from "./forward/forward.ts";
import { sendReply } from "./plugins/send-reply.ts";
import { createAuthHandler, type DialectPair, refuse } from "./routes/auth/auth-route.ts";
import { jsonPair, postJson } from "./routes/auth/post-json.ts";
import { getHealth, getPing } from "./routes/operations/get-health.ts";
import { getMetrics } from "./routes/operations/get-metrics.ts";

const noBody = Buffer.alloc(0);

function notFound(session: readonly [string, string]): DialectReply {
  return { status: 404, headers: [session], body: noBody };
}

function isClientFault({ statusCode }: FastifyError): boolean {
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500;
}

/** What Fastify refuses before a dialect sees it, in the dialect's words. */
function refusalOf(error: FastifyError): Error {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("REQUEST_TOO_LARGE");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("REQUEST_MEDIA_TYPE");
    default:
      // A body that is not as long as it said, or whose sender hung up; Fastify marks them as the client's fault.
      return isClientFault(error) ? new AppError("REQUEST_MALFORMED", { cause: error }) : error;
  }
}

/** Routes of one dialect: 404 when switched off, then the caller, then the body. */
function registerDialect(
  app: FastifyInstance,
  route: { method: "POST"; url: string },
  pair: DialectPair,
  context: GatewayContext,
): void {
  const handler = createAuthHandler(pair, context.authRoute);
  const disabled = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (context.live.current.disabledDialects.has(pair.dialect))
      sendReply(reply, notFound([context.names.session, request.id]));
    else next();
  };
  app.route({
    ...route,
    onRequest: [disabled, context.callerAuth],
    errorHandler: (error, request, reply) =>
      refuse(pair, { request, reply, thrown: refusalOf(error) }, context.authRoute),
    handler,
  });
}

function registerAuthRoutes(app: FastifyInstance, context: GatewayContext): void {
  app.removeAllContentTypeParsers();
  // Any bytes under any name: the dialect says what it takes, and in its own words what it does not.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  registerDialect(app, postJson, jsonPair({ names: context.names, releasable: context.releasable }), context);
}

export async function createGateway(context: GatewayContext): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: context.settings.maxBodyBytes,
    genReqId: context.newSession,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
  });
  // A path of nobody's is 404 whatever its body says: it is not read. Routes that read one bring their own parser.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.decorateRequest("callerMethod", "none");
  app.setNotFoundHandler((request, reply) => sendReply(reply, notFound([context.names.session, request.id])));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (!isClientFault(error)) context.logger.error({ session: request.id, err: error }, "request failed");
    const status = isClientFault(error) ? 400 : 500;
    sendReply(reply, { status, headers: [[context.names.session, request.id]], body: noBody });
  });
  await app.register(async (scope) => registerAuthRoutes(scope, context));
  app.get("/ping", getPing);
  app.get("/healthz", getHealth(context.health));
  app.get(
    "/metrics",
    getMetrics(context.metrics, () => context.live.current.metricsRoute),
  );
  await registerForwarding(app, context.forward);
  await app.ready();
  return app;
}
