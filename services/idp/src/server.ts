import { randomUUID } from "node:crypto";
import { AppError } from "@postern/shared/errors";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { IdpContext } from "./context.ts";
import { routeOfPath } from "./oidc/oidc-metrics.ts";
import { requireCaller } from "./plugins/caller.ts";
import { oauthError } from "./routes/oidc/json-reply.ts";
import { registerOidcPages, registerOidcRoutes } from "./routes/oidc/register.ts";
import { registerLogout } from "./routes/oidc/register-logout.ts";
import { registerSessionRoutes } from "./routes/oidc/sessions.ts";
import { getOpenapi } from "./routes/openapi/get-openapi.ts";
import { registerPages } from "./routes/register-pages.ts";
import { registerSamlRoutes } from "./routes/saml/register.ts";

/** Public keys, which the gateway fetches for itself: no request of a caller stands behind that. */
const keySetPath = "/oidc/jwks";

type IdpParts = Pick<
  IdpContext,
  "settings" | "readCaller" | "logger" | "pages" | "oidc" | "openapi" | "saml" | "audit" | "singleLogout"
>;

/** The identity provider behind the gateway. Whatever did not come through it is 401; a path of nobody's is 404. */
export async function createIdp(parts: IdpParts): Promise<FastifyInstance> {
  const { settings, readCaller, logger, pages, oidc, openapi, saml, audit, singleLogout } = parts;
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
  });
  const vouched = requireCaller(readCaller);
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request, reply) =>
    request.raw.url === keySetPath && request.method === "GET" ? undefined : vouched(request, reply),
  );
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "not found" }));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return oauthError(reply, 400, "invalid_request");
    const level = error instanceof AppError ? error.row.logLevel : "error";
    const { url: path } = request.routeOptions;
    logger[level]({ session: request.caller?.session, path, err: error }, "request failed");
    return oauthError(reply, 500, "server_error");
  });
  for (const format of ["yaml", "json"] as const) {
    app.get(`/.well-known/openapi.${format}`, getOpenapi(openapi, format));
  }
  if (pages !== undefined) registerPages(app, pages);
  if (oidc !== undefined) {
    app.addHook("onResponse", async (request, reply) => {
      const route = routeOfPath(request.routeOptions.url);
      if (route !== undefined) oidc.metrics.request(route, reply.raw.statusCode);
    });
    registerSessionRoutes(app, { ...oidc, audit });
    await app.register(async (scope) => registerOidcRoutes(scope, oidc, pages?.login.pages));
  }
  if (oidc !== undefined && pages !== undefined) registerOidcPages(app, oidc, pages.login);
  if (pages !== undefined && singleLogout !== undefined) registerLogout(app, { ...pages.login, singleLogout }, oidc);
  if (saml !== undefined && pages !== undefined) registerSamlRoutes(app, { ...pages.login, ...saml.routes });
  await app.ready();
  return app;
}
