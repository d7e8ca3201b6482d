import { randomUUID } from "node:crypto";
import { AppError } from "@postern/shared/errors";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { IdpContext } from "./context.ts";
import { oauthError } from "./routes/oidc/json-reply.ts";
import { registerOidcRoutes } from "./routes/oidc/register.ts";

/** Public keys, which the gateway fetches for itself: no request of a caller stands behind that. */
const keySetPath = "/oidc/jwks";

type IdpParts = Pick<IdpContext, "settings" | "readCaller" | "logger" | "oidc">;

/** The identity provider behind the gateway. Whatever did not come through it is 401; a path of nobody's is 404. */
export async function createIdp({ settings, readCaller, logger, oidc }: IdpParts): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: settings.maxBodyBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
  });
  app.addHook("onRequest", async (request, reply) => {
    if (request.raw.url === keySetPath && request.method === "GET") return undefined;
    if ((await readCaller(request.raw.headers)) === undefined) return reply.code(401).send();
    return undefined;
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "not found" }));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return oauthError(reply, 400, "invalid_request");
    const level = error instanceof AppError ? error.row.logLevel : "error";
    logger[level]({ path: request.routeOptions.url, err: error }, "request failed");
    return oauthError(reply, 500, "server_error");
  });
  if (oidc !== undefined) await app.register(async (scope) => registerOidcRoutes(scope, oidc));
  await app.ready();
  return app;
}
