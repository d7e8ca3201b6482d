import { randomUUID } from "node:crypto";
import { type Concern, operation, pathTo } from "@postern/shared/contracts";
import { limitCallers } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import {
  answerUnrouted,
  type Caller,
  challengeUnauthorized,
  FormEncodingError,
  nameSessions,
  noRouteSchemas,
  onlyOperations,
  requireCaller,
  routeOf,
  takeStrictJson,
  traceForwarded,
  unreadablePaths,
} from "@postern/shared/platform/http";
import { openapiTypes } from "@postern/shared/platform/openapi";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { registerMfaApi } from "./account/mfa-api.ts";
import { accountRoutes, accountScriptRoutes } from "./account/routes.ts";
import { registerApplications } from "./applications/routes.ts";
import type { IdpContext } from "./context.ts";
import { registerDevUi } from "./dev-ui/dev-ui.ts";
import { registerMailClients } from "./mail-clients/routes.ts";
import { oauthError } from "./oidc/http/replies.ts";
import { registerLogout } from "./oidc/logout-routes.ts";
import { registerOidcManagement } from "./oidc/management-routes.ts";
import { routeOfPath } from "./oidc/metrics/oidc-metrics.ts";
import { registerRegistrations } from "./oidc/registration-routes.ts";
import { registerOidcPages, registerOidcRoutes } from "./oidc/routes.ts";
import { registerSamlRoutes } from "./saml/routes.ts";
import { registerFailedSignIns, signInRoutes, signInScriptRoutes } from "./sign-in/routes.ts";
import { registerCommonPages, unknownPage } from "./visit/common-pages.ts";
import { registerPageRoutes } from "./visit/page-routes.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route is about, for callers that are limited to domains. */
    concerns?: Concern | undefined;
  }
  interface FastifyRequest {
    /** The API caller, as the gateway's caller assertion states it. */
    caller: Caller | null;
  }
}

/** The public keys. The gateway fetches them for itself, so the request carries no caller assertion. */
const keySetPath = pathTo("jwks");

/** Far above a scheme, a host name of 253 characters and a port. Responses to other origins repeat the value. */
const longestOrigin = 2048;

/** @param isEarly whether the keys are not loaded yet: engines that start at the same time request them too early */
function levelOf(error: Error, isEarly: boolean): AppError["row"]["logLevel"] {
  if (!(error instanceof AppError)) return "error";
  return isEarly ? "info" : error.row.logLevel;
}

function registerOpenapi(app: FastifyInstance, openapi: IdpContext["openapi"]): void {
  for (const [id, format] of [
    ["idpContractYaml", "yaml"],
    ["idpContractJson", "json"],
  ] as const) {
    const handler = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      reply.type(openapiTypes[format]).send(openapi()[format]);
    app.route({ ...routeOf(operation(id)), handler });
  }
}

/** All pages of sign-in and self-service, with the APIs that belong to them. */
function registerPages(app: FastifyInstance, pages: NonNullable<IdpContext["pages"]>, identifier: string): void {
  const { visits, signIn, account, devUi } = pages;
  registerCommonPages(app, visits);
  registerPageRoutes(app, [...signInRoutes(signIn), ...accountRoutes(account)], visits);
  registerPageRoutes(app, [...signInScriptRoutes(signIn), ...accountScriptRoutes(account)], {
    ...visits,
    body: "json",
  });
  registerFailedSignIns(app, signIn.failedSignIns, identifier);
  registerMfaApi(app, account);
  registerDevUi(app, { pages: visits.pages, ...devUi });
}

/** The identity provider behind the gateway. A request without a caller assertion gets 401, an unknown path 404. */
export async function createIdp(context: IdpContext): Promise<FastifyInstance> {
  const { settings, readCaller, logger, pages, oidc, openapi, saml, singleLogout } = context;
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    ...noRouteSchemas,
    ...unreadablePaths(settings.identifier),
  });
  // Routes for clients and tokens send their own challenge; all others need the cookie of a signed-in browser.
  challengeUnauthorized(app, () => ['Cookie realm="postern"']);
  const vouched = requireCaller(readCaller);
  app.decorateRequest("caller", null);
  nameSessions(app, settings.identifier, async (request, reply) =>
    request.raw.url === keySetPath && request.method === "GET" ? undefined : vouched(request, reply),
  );
  app.addHook("onRequest", async ({ headers: { origin = "" } }, reply) =>
    origin.length > longestOrigin ? oauthError(reply, 400, "invalid_request") : undefined,
  );
  traceForwarded(app, context.tracer);
  limitCallers(app, { domains: context.liveDomains, logger });
  takeStrictJson(app);
  onlyOperations(app, "idp");
  answerUnrouted(app, pages && unknownPage(pages.visits.pages));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (error instanceof FormEncodingError) return oauthError(reply, 400, "invalid_request", error.message);
    if (status < 500) return oauthError(reply, 400, "invalid_request");
    const { url: path } = request.routeOptions;
    const level = levelOf(error, path === keySetPath && oidc?.generations.isReady === false);
    logger[level]({ session: request.caller?.session, path, err: error }, "request failed");
    return oauthError(reply, 500, "server_error");
  });
  registerOpenapi(app, openapi);
  if (pages !== undefined) registerPages(app, pages, settings.identifier);
  if (context.mailClients !== undefined) registerMailClients(app, context.mailClients);
  registerApplications(app, context, settings.identifier);
  if (oidc !== undefined) {
    app.addHook("onResponse", async (request, reply) => {
      const route = routeOfPath(request.routeOptions.url);
      if (route !== undefined) oidc.metrics.request(route, reply.raw.statusCode);
    });
    registerOidcManagement(app, oidc);
    registerRegistrations(app, oidc);
    await app.register(async (scope) => registerOidcRoutes(scope, oidc, pages?.visits.pages));
  }
  if (oidc !== undefined && pages !== undefined) registerOidcPages(app, oidc, pages.visits);
  if (pages !== undefined && singleLogout !== undefined) registerLogout(app, { ...pages.visits, singleLogout, oidc });
  if (saml !== undefined && pages !== undefined) registerSamlRoutes(app, { ...pages.visits, ...saml.routes });
  await app.ready();
  return app;
}
