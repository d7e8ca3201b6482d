import { type Operation, operation } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { createBasicParser, createBasicRenderer } from "../../dialects/basic.ts";
import { createHeaderParser, createHeaderRenderer } from "../../dialects/header.ts";
import { plainQuery, requestedOperation } from "../../dialects/query.ts";
import { notFoundReply } from "../../dialects/reply.ts";
import { createSaslRenderer, parseSaslRequest } from "../../dialects/sasl.ts";
import { createReadBody, type ReadBody } from "../../plugins/read-body.ts";
import { sendReply } from "../../plugins/send-reply.ts";
import { createAuthHandler, type DialectRoute, refuse } from "./auth-route.ts";
import { proxyRoute } from "./get-proxy.ts";
import { cborRoute } from "./post-cbor.ts";
import { jsonRoute } from "./post-json.ts";
import { createUnrendered } from "./unrendered.ts";

type HeaderRouteContext = Pick<GatewayContext, "names" | "attributeHeaders" | "settings" | "logger">;

/** `POST /api/v1/auth/header`. A body is ignored. */
function headerRoute({ names, attributeHeaders, settings, logger }: HeaderRouteContext): DialectRoute {
  const parse = createHeaderParser({ names: settings.requestHeaders, query: true });
  const { decision, malformed } = createHeaderRenderer({
    names,
    attributeHeaders,
    onLeftOut: (session, attributes) =>
      logger.warn({ session, attributes: attributes.slice(0, 16) }, "attributes too large for headers"),
  });
  return {
    operations: [operation("authenticateHeader")],
    pair: {
      dialect: "header",
      listsAccounts: true,
      parse: ({ raw }, facts) => parse({ url: raw.url ?? "", rawHeaders: raw.rawHeaders, facts }),
      decision,
      malformed,
    },
  };
}

const emptyBody = Buffer.alloc(0);

/** `POST /api/v1/auth/sasl`, for saslauthd and similar daemons. */
function saslRoute({ names }: Pick<GatewayContext, "names">): DialectRoute {
  const { decision, malformed } = createSaslRenderer(names);
  return {
    operations: [operation("authenticateSasl")],
    pair: {
      dialect: "sasl",
      parse: ({ raw, body }, facts) =>
        parseSaslRequest({
          contentType: raw.headers["content-type"],
          body: Buffer.isBuffer(body) ? body : emptyBody,
          facts,
        }),
      decision,
      malformed,
    },
  };
}

/**
 * `GET /api/v1/auth/basic`. Its `Authorization` is the user's: the endpoint needs no caller authentication, and each request takes a token
 * of the failure budget.
 */
function basicRoute(context: Pick<GatewayContext, "names" | "settings" | "spendBudget">): DialectRoute {
  const { names, settings, spendBudget } = context;
  const parse = createBasicParser(settings.requestHeaders);
  const { decision, malformed } = createBasicRenderer(names);
  return {
    operations: [operation("authenticateBasic")],
    onRequest: spendBudget,
    pair: {
      dialect: "basic",
      parse: ({ raw }, facts) => parse({ url: "", rawHeaders: raw.rawHeaders, facts }),
      decision,
      malformed,
    },
  };
}

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
