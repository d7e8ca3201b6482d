import { randomUUID } from "node:crypto";
import { operation, pathTo } from "@postern/shared/contracts";
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
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { IdpContext } from "./context.ts";
import { oauthError } from "./oidc/http/replies.ts";
import { registerLogout } from "./oidc/logout/logout-routes.ts";
import { routeOfPath } from "./oidc/metrics/oidc-metrics.ts";
import { registerClientRoutes } from "./oidc/registration/client-administration.ts";
import { registerRegistrations } from "./oidc/registration/manage-client.ts";
import { registerOidcPages, registerOidcRoutes } from "./oidc/routes.ts";
import { registerSessionRoutes } from "./oidc/session-routes.ts";
import { registerSigningKeyRoutes } from "./oidc/signing-key-routes.ts";
import { registerApplications } from "./routes/applications/register.ts";
import { registerMailClients } from "./routes/mail-clients/register.ts";
import { getOpenapi } from "./routes/openapi/get-openapi.ts";
import { registerPages } from "./routes/pages/register.ts";
import { unknownPage } from "./routes/pages/unknown-page.ts";
import { registerSamlRoutes } from "./saml/routes.ts";

declare module "fastify" {
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

type IdpParts = Pick<
  IdpContext,
  | "settings"
  | "readCaller"
  | "logger"
  | "pages"
  | "mailClients"
  | "oidc"
  | "openapi"
  | "listApplications"
  | "saml"
  | "audit"
  | "singleLogout"
  | "tracer"
>;

/** The identity provider behind the gateway. A request without a caller assertion gets 401, an unknown path 404. */
export async function createIdp(parts: IdpParts): Promise<FastifyInstance> {
  const { settings, readCaller, logger, pages, oidc, openapi, saml, audit, singleLogout } = parts;
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
  traceForwarded(app, parts.tracer);
  takeStrictJson(app);
  onlyOperations(app, "idp");
  answerUnrouted(app, pages && unknownPage(pages.login.pages));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (error instanceof FormEncodingError) return oauthError(reply, 400, "invalid_request", error.message);
    if (status < 500) return oauthError(reply, 400, "invalid_request");
    const { url: path } = request.routeOptions;
    const level = levelOf(error, path === keySetPath && oidc?.generations.isReady === false);
    logger[level]({ session: request.caller?.session, path, err: error }, "request failed");
    return oauthError(reply, 500, "server_error");
  });
  app.route({ ...routeOf(operation("idpContractYaml")), handler: getOpenapi(openapi, "yaml") });
  app.route({ ...routeOf(operation("idpContractJson")), handler: getOpenapi(openapi, "json") });
  if (pages !== undefined) registerPages(app, pages);
  if (parts.mailClients !== undefined) registerMailClients(app, parts.mailClients);
  registerApplications(app, parts, settings.identifier);
  if (oidc !== undefined) {
    app.addHook("onResponse", async (request, reply) => {
      const route = routeOfPath(request.routeOptions.url);
      if (route !== undefined) oidc.metrics.request(route, reply.raw.statusCode);
    });
    registerSessionRoutes(app, { ...oidc, audit });
    registerClientRoutes(app, { ...oidc, audit });
    registerRegistrations(app, { ...oidc, audit });
    registerSigningKeyRoutes(app, { ...oidc, audit });
    await app.register(async (scope) => registerOidcRoutes(scope, oidc, pages?.login.pages));
  }
  if (oidc !== undefined && pages !== undefined) registerOidcPages(app, oidc, pages.login);
  if (pages !== undefined && singleLogout !== undefined) registerLogout(app, { ...pages.login, singleLogout }, oidc);
  if (saml !== undefined && pages !== undefined) registerSamlRoutes(app, { ...pages.login, ...saml.routes });
  await app.ready();
  return app;
}
