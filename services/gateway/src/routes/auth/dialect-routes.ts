import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { notFoundReply } from "../../dialects/reply.ts";
import { createReadBody, type ReadBody } from "../../plugins/read-body.ts";
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

/** 404 when switched off, then the caller, then the body, which Fastify does not get to see. */
function registerDialect(
  app: FastifyInstance,
  { route: { method, url, pair, onRequest, maxBodyBytes }, readBody }: { route: DialectRoute; readBody: ReadBody },
  context: GatewayContext,
): void {
  const handler = createAuthHandler(pair, context.authRoute);
  const bodyLimit = maxBodyBytes ?? context.settings.maxBodyBytes;
  const disabled = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (context.live.current.disabledDialects.has(pair.dialect))
      sendReply(reply, notFoundReply(context.names, request.id));
    else next();
  };
  const failed = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    refuse(pair, { request, reply, thrown }, context.authRoute);
  const readAndAnswer = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (request.method === "GET") {
      next();
      return;
    }
    readBody(request.raw, bodyLimit, (body, refused) => {
      request.body = body;
      if (refused === undefined) handler(request, reply);
      else failed(refused, request, reply);
    });
  };
  app.route({
    method,
    url,
    onRequest: [disabled, ...(onRequest ?? [context.callerAuth]), readAndAnswer],
    errorHandler: failed,
    handler,
  });
}

export function registerAuthRoutes(app: FastifyInstance, context: GatewayContext): void {
  const readBody = createReadBody(context.settings.decompression);
  for (const route of dialectRoutes(context)) registerDialect(app, { route, readBody }, context);
}
