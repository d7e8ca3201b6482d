import { operation, operations, pathTo } from "@postern/shared/contracts";
import { errorCodes } from "@postern/shared/platform/errors";
import {
  createMethodTable,
  ignoreQueryMethod,
  noRouteSchemas,
  onlyOperations,
  routeOf,
  sitePath,
} from "@postern/shared/platform/http";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { GatewayContext } from "./context.ts";
import { jsonReply } from "./http/reply.ts";
import { registerForwarding } from "./forward/forward.ts";
import { forwardedUrls } from "./forward/owners.ts";
import { refuseTwoHosts } from "./unrouted.ts";
import { isClientFault } from "./unrouted.ts";
import { sendReply } from "./http/reply.ts";
import { traceGateway } from "./server.ts";
import { answerUnrouted, unreadablePaths } from "./unrouted.ts";
import { registerAuthRoutes } from "./dialects/register.ts";
import { registerAuthPolicy } from "./routes/auth-policy/register.ts";
import { getHealth, getPing } from "./probes.ts";
import { getMetrics, type MetricsRouteSettings } from "./probes.ts";
import { getStatus, getStatusJson } from "./routes/operations/get-status.ts";

const metricsPath = pathTo("metrics");

/** Disabled endpoints are 404 for every method, so that their existence is not revealed. */
function switchedOff(context: GatewayContext): (pattern: string) => boolean {
  const keys = new Map(
    operations.flatMap((each) => {
      const { family, disabledBy } = each;
      if (family.owner !== "gateway" || disabledBy === undefined) return [];
      return [[sitePath(each, context.settings.siteNames), disabledBy] as const];
    }),
  );
  return (pattern) => {
    const { disabledEndpoints, metricsRoute } = context.live.current;
    const key = keys.get(pattern);
    if (key !== undefined) return disabledEndpoints.has(key);
    return pattern === metricsPath && !metricsRoute.enabled;
  };
}

/** Answered here, because the status must be visible while the service behind the sign-in pages is down. */
function registerStatus(app: FastifyInstance, { publicStatus, names }: GatewayContext): void {
  if (publicStatus === undefined) return;
  const probes = ["GET", "HEAD"];
  const deps = { ...publicStatus, names };
  const { inLanguage } = operation("statusPage");
  app.route({ method: probes, url: pathTo("statusPage"), handler: getStatus(deps) });
  if (inLanguage !== undefined) app.route({ ...routeOf(inLanguage), method: probes, handler: getStatus(deps) });
  app.route({ method: probes, url: pathTo("publicStatus"), handler: getStatusJson(deps) });
}

/** The gateway: the back channel's dialects, the operators' pages, and the paths of the services behind it. */
export async function createGateway(context: GatewayContext): Promise<FastifyInstance> {
  const { settings, names, logger } = context;
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: context.newSession,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    ...noRouteSchemas,
    ...unreadablePaths(names),
  });
  onlyOperations(app, "gateway", { names: settings.siteNames, forwarded: new Set(forwardedUrls()) });
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
  if (context.tracer !== undefined) traceGateway(app, context.tracer, context.isFromTrustedProxy);
  app.addHook("onRequest", refuseTwoHosts(names));
  const isApart = settings.frontAddresses.length > 0 || settings.consoleAddresses.length > 0;
  const channels = isApart ? context.channels : undefined;
  const page = { channels: context.channels, servesPages: context.forward.servesPages };
  app.setNotFoundHandler(answerUnrouted({ names, methods, channels, isOff: switchedOff(context), page }));
  if (isApart) app.addHook("onRequest", context.channels.onlyOwn);
  app.setErrorHandler((err: FastifyError, request, reply) => {
    const status = isClientFault(err) ? 400 : 500;
    if (status === 500) logger.error({ session: request.id, err }, "request failed");
    const error = status === 500 ? errorCodes.INTERNAL.publicMessage : "the request cannot be read";
    sendReply(reply, jsonReply(status, [[names.session, request.id]], { error }));
  });
  await app.register(async (scope) => registerAuthRoutes(scope, context));
  await app.register(async (scope) => registerAuthPolicy(scope, context));
  const probes = ["GET", "HEAD"];
  app.route({ method: probes, url: pathTo("ping"), handler: getPing });
  app.route({ method: probes, url: pathTo("health"), handler: getHealth(context.health, context.channels) });
  const metricsRoute = (): MetricsRouteSettings => context.live.current.metricsRoute;
  app.route({ method: probes, url: pathTo("metrics"), handler: getMetrics(context.metrics, metricsRoute) });
  registerStatus(app, context);
  await registerForwarding(app, context.forward);
  await app.ready();
  return app;
}
