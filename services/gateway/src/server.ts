import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { GatewayContext } from "./context.ts";
import { notFoundReply } from "./dialects/reply.ts";
import { registerForwarding } from "./forward/forward.ts";
import { isClientFault } from "./plugins/request-refusal.ts";
import { sendReply } from "./plugins/send-reply.ts";
import { registerAuthRoutes } from "./routes/auth/dialect-routes.ts";
import { getHealth, getPing } from "./routes/operations/get-health.ts";
import { getMetrics } from "./routes/operations/get-metrics.ts";

/** The edge: the back channel's dialects, the operators' pages, and the paths of the services behind it. */
export async function createGateway(context: GatewayContext): Promise<FastifyInstance> {
  const { settings, names, logger } = context;
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: context.newSession,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
  });
  // A path of nobody's is 404 whatever its body says: it is not read. Routes that read one bring their own parser.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.decorateRequest("callerMethod", "none");
  app.decorateRequest("callerName", null);
  app.decorateRequest("callerToken", null);
  if (settings.frontAddresses.length > 0) app.addHook("onRequest", context.channels.onlyOwn);
  app.setNotFoundHandler((request, reply) => sendReply(reply, notFoundReply(names, request.id)));
  app.setErrorHandler((err: FastifyError, request, reply) => {
    const status = isClientFault(err) ? 400 : 500;
    if (status === 500) logger.error({ session: request.id, err }, "request failed");
    sendReply(reply, { status, headers: [[names.session, request.id]], body: "" });
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
