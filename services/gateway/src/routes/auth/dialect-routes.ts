import type { Operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
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

interface Registration {
  readonly operation: Operation;
  readonly route: DialectRoute;
  readonly readBody: ReadBody;
}

/** 404 if disabled, then caller authentication, then the body, which bypasses Fastify. */
function registerDialect(
  app: FastifyInstance,
  { operation, route: { pair, onRequest }, readBody }: Registration,
  context: GatewayContext,
): void {
  const { disabledBy } = operation;
  const { siteNames, maxBodyBytes } = context.settings;
  const { method, url, bodyLimit = maxBodyBytes } = routeOf(operation, siteNames);
  const handler = createAuthHandler(pair, context.authRoute);
  const longestBody = Math.min(maxBodyBytes, bodyLimit);
  const disabled = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (disabledBy !== undefined && context.live.current.disabledEndpoints.has(disabledBy))
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
    readBody(request.raw, longestBody, (body, refused) => {
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
  for (const route of dialectRoutes(context)) {
    for (const operation of route.operations) registerDialect(app, { operation, route, readBody }, context);
  }
}
