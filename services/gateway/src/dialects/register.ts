import type { Operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GatewayContext } from "../context.ts";
import { plainQuery, requestedOperation } from "./query.ts";
import { notFoundReply } from "../http/reply.ts";
import { createReadBody, type ReadBody } from "../http/body.ts";
import { sendReply } from "../http/reply.ts";
import { createAuthHandler, type DialectRoute, refuse } from "./endpoint.ts";
import { basicRoute } from "./basic.ts";
import { proxyRoute } from "./proxy.ts";
import { cborRoute } from "./cbor.ts";
import { headerRoute } from "./header.ts";
import { jsonRoute } from "./json.ts";
import { saslRoute } from "./sasl.ts";
import { createUnrendered } from "./register.ts";

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

/** The hooks answer 404 if the endpoint is disabled, and authenticate the caller; the handler reads the body. */
function registerDialect(
  app: FastifyInstance,
  { operation, route: { pair, onRequest }, readBody }: Registration,
  context: GatewayContext,
): void {
  const { disabledBy } = operation;
  const { siteNames, maxBodyBytes } = context.settings;
  const { method, url, bodyLimit = maxBodyBytes } = routeOf(operation, siteNames);
  const answer = createAuthHandler(pair, context.authRoute);
  const unrendered = createUnrendered({ names: context.names, log: context.authRoute.log });
  const longestBody = Math.min(maxBodyBytes, bodyLimit);
  const disabled = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (disabledBy !== undefined && context.live.current.disabledEndpoints.has(disabledBy))
      sendReply(reply, notFoundReply(context.names, request.id));
    else next();
  };
  const operationOf = pair.listsAccounts === true ? requestedOperation : () => plainQuery.operation;
  const readAndAnswer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    try {
      if (request.method !== "GET") request.body = await readBody(request.raw, longestBody);
    } catch (thrown) {
      refuse(pair, { request, reply, thrown }, context.authRoute);
      return;
    }
    await answer(request, reply);
  };
  // Without a promise, for which Fastify would wait.
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    readAndAnswer(request, reply).catch((thrown: unknown) => unrendered(thrown, request, reply));
  };
  const failed = (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    // The dialect decides whether it needs a media type.
    if (thrown.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") handler(request, reply);
    else refuse(pair, { request, reply, thrown }, context.authRoute);
  };
  app.route({
    method,
    url,
    onRequest: [disabled, onRequest ?? context.callerAuthFor(operationOf)],
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
