import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { notFoundReply } from "../../dialects/reply.ts";
import { createBodyParser } from "../../plugins/decompress-body.ts";
import { requestRefusal } from "../../plugins/request-refusal.ts";
import { sendReply } from "../../plugins/send-reply.ts";
import { createAuthHandler, type DialectRoute, refuse } from "./auth-route.ts";
import { basicRoute } from "./get-basic.ts";
import { cborRoute } from "./post-cbor.ts";
import { headerRoute } from "./post-header.ts";
import { jsonRoute } from "./post-json.ts";
import { saslRoute } from "./post-sasl.ts";
import { proxyRoute } from "./proxy.ts";

/** Every dialect of the back channel. */
function dialectRoutes(context: GatewayContext): readonly DialectRoute[] {
  return [
    jsonRoute(context),
    cborRoute(context),
    headerRoute(context),
    proxyRoute(context),
    saslRoute(context),
    ...(context.settings.basicEndpoint ? [basicRoute(context)] : []),
  ];
}

/** 404 when switched off, then the caller, then the body. */
function registerDialect(
  app: FastifyInstance,
  { method, url, pair, onRequest, maxBodyBytes }: DialectRoute,
  context: GatewayContext,
): void {
  const handler = createAuthHandler(pair, context.authRoute);
  const disabled = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (context.live.current.disabledDialects.has(pair.dialect))
      sendReply(reply, notFoundReply(context.names, request.id));
    else next();
  };
  app.route({
    method,
    url,
    bodyLimit: maxBodyBytes ?? context.settings.maxBodyBytes,
    onRequest: [disabled, ...(onRequest ?? [context.callerAuth])],
    errorHandler: (error, request, reply) =>
      refuse(pair, { request, reply, thrown: requestRefusal(error) }, context.authRoute),
    handler,
  });
}

export function registerAuthRoutes(app: FastifyInstance, context: GatewayContext): void {
  app.removeAllContentTypeParsers();
  // Any bytes under any name: the dialect says what it takes, and in its own words what it does not.
  app.addContentTypeParser("*", { parseAs: "buffer" }, createBodyParser(context.settings.decompression));
  for (const route of dialectRoutes(context)) registerDialect(app, route, context);
}
