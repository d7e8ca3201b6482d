import { type Operation, pathTo } from "@postern/shared/contracts";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createNeedOf } from "../callers/demands.ts";
import type { OnRequest } from "../callers/hooks.ts";
import type { GatewayContext } from "../context.ts";
import { basicEndpoint } from "../dialects/basic.ts";
import { cborEndpoint } from "../dialects/cbor.ts";
import type { DialectEndpoint } from "../dialects/dialect.ts";
import { headerEndpoint } from "../dialects/header.ts";
import { jsonEndpoint } from "../dialects/json.ts";
import { proxyEndpoint } from "../dialects/proxy.ts";
import { plainQuery, requestedOperation } from "../dialects/query.ts";
import { saslEndpoint } from "../dialects/sasl.ts";
import { createReadBody } from "../http/body.ts";
import type { WireNames } from "../http/naming.ts";
import { notFoundUnless, sendError } from "../http/reply.ts";
import { createAuthHandler, refuse } from "./answer.ts";
import type { DecisionLog } from "./decision-log.ts";

function dialectEndpoints(context: GatewayContext): readonly DialectEndpoint[] {
  const { names, settings } = context;
  return [
    jsonEndpoint(context),
    cborEndpoint(context),
    headerEndpoint(context),
    proxyEndpoint(context),
    saslEndpoint(names),
    ...(settings.basicEndpoint ? [basicEndpoint(names, settings.requestHeaders)] : []),
  ];
}

/** Answers 500, a temporary failure, when not even an error could be rendered in the dialect: a bug, of which the caller must learn. */
export function createUnrendered(names: WireNames, log: Pick<DecisionLog, "failed">) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    log.failed(request.id, new AppError("INTERNAL", { cause: thrown }));
    sendError(reply, names, { status: 500, error: errorCodes.INTERNAL.publicMessage });
  };
}

const emptyBody: Buffer = Buffer.alloc(0);

function createHandlers(endpoint: DialectEndpoint, longestBody: number, context: GatewayContext) {
  const readBody = createReadBody(context.settings.decompression);
  const answer = createAuthHandler(endpoint, context.auth);
  const unrendered = createUnrendered(context.names, context.auth.log);
  const readAndAnswer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    let body = emptyBody;
    try {
      if (request.method !== "GET") body = await readBody(request.raw, longestBody);
    } catch (thrown) {
      refuse(endpoint, { request, reply, thrown }, context.auth);
      return;
    }
    await answer(request, reply, body);
  };
  // Without a promise, for which Fastify would wait.
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    readAndAnswer(request, reply).catch((thrown: unknown) => unrendered(thrown, request, reply));
  };
  const errorHandler = (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    // The dialect decides whether it needs a media type.
    if (thrown.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") handler(request, reply);
    else refuse(endpoint, { request, reply, thrown }, context.auth);
  };
  return { handler, errorHandler };
}

/** Authenticates the API caller of a dialect, unless the credentials are the user's. */
function callerHookOf({ listsAccounts, takesUserCredentials }: DialectEndpoint, context: GatewayContext): OnRequest {
  const { hooks, settings } = context;
  if (takesUserCredentials === true) return hooks.spendBudget;
  const need = createNeedOf(settings.identifier)("POST", pathTo("authenticateJson"));
  const operationOf = listsAccounts === true ? requestedOperation : () => plainQuery.operation;
  return hooks.callerAuth({ needOf: () => need, actionOf: ({ raw }) => operationOf(raw.url ?? "") });
}

/** The hooks answer 404 if the endpoint is disabled, and authenticate the caller; the handler reads the body. */
function registerOperation(
  app: FastifyInstance,
  operation: Operation,
  endpoint: DialectEndpoint,
  context: GatewayContext,
): void {
  const { names, live, settings } = context;
  const { disabledBy } = operation;
  const { method, url, bodyLimit = settings.maxBodyBytes } = routeOf(operation, settings.siteNames);
  const isEnabled = (): boolean => disabledBy === undefined || !live.current.disabledEndpoints.has(disabledBy);
  app.route({
    method,
    url,
    onRequest: [notFoundUnless(isEnabled, names), callerHookOf(endpoint, context)],
    ...createHandlers(endpoint, Math.min(settings.maxBodyBytes, bodyLimit), context),
  });
}

export function registerAuthRoutes(app: FastifyInstance, context: GatewayContext): void {
  for (const endpoint of dialectEndpoints(context))
    for (const operation of endpoint.operations) registerOperation(app, operation, endpoint, context);
}
