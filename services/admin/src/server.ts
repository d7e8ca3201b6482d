import { randomUUID } from "node:crypto";
import { AppError } from "@postern/shared/errors";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { AdminContext } from "./context.ts";
import { requireCaller, requireScope } from "./plugins/caller.ts";
import { validateRequests } from "./plugins/openapi-validation.ts";
import { getJob } from "./routes/async/get-job.ts";
import { registerBruteForceRoutes } from "./routes/bruteforce/register.ts";
import { registerCacheRoutes } from "./routes/cache/register.ts";
import { getConfigLoad } from "./routes/config/get-load.ts";
import { registerHooks } from "./routes/custom/register.ts";
import { registerJwtRoutes } from "./routes/jwt/register.ts";
import { registerMfaBackchannel } from "./routes/mfa-backchannel/register.ts";
import { getOpenapi } from "./routes/openapi/get-openapi.ts";

/** The management API behind the gateway. */
export async function createAdmin(context: AdminContext): Promise<FastifyInstance> {
  const { settings, live, readCaller, logger } = context;
  const { identifier, maxBodyBytes } = settings;
  const app = Fastify({ logger: false, bodyLimit: maxBodyBytes, genReqId: () => randomUUID(), requestIdHeader: false });
  app.decorateRequest("caller", null);
  app.addHook("onRequest", requireCaller(readCaller));
  app.addHook("onSend", async (request, reply) => {
    reply.header(`x-${identifier}-session`, request.caller?.session ?? request.id);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "not found" }));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof AppError && error.row.kind === "caller") {
      return reply.code(error.row.httpStatus).send({ error: error.publicMessage });
    }
    const status = error.statusCode ?? 500;
    if (status < 500) return reply.code(400).send({ error: error.message });
    const level = error instanceof AppError ? error.row.logLevel : "error";
    logger[level]({ session: request.caller?.session, err: error }, "request failed");
    return reply.code(500).send({ error: "Temporary server problem, try again later" });
  });
  const operators = requireScope(`${identifier}:security`, `${identifier}:admin`);
  app.get(
    "/api/v1/config/load",
    { onRequest: operators },
    getConfigLoad(() => live.current.configLoad, context.audit),
  );
  const anyCaller = { onRequest: requireScope() };
  for (const format of ["yaml", "json"] as const)
    app.get(`/api/v1/openapi.${format}`, anyCaller, getOpenapi(context.openapi, format));
  await app.register(async (scope) => registerJwtRoutes(scope, context));
  await app.register(async (scope) => {
    scope.addHook("onRequest", operators);
    scope.addHook(
      "preHandler",
      validateRequests(() => live.current.requestValidation, logger),
    );
    registerCacheRoutes(scope, context);
    registerBruteForceRoutes(scope, context);
    scope.get("/api/v1/async/jobs/:jobId", getJob(context.jobs.read));
  });
  await app.register(async (scope) => registerMfaBackchannel(scope, context));
  await app.register(async (scope) => registerHooks(scope, context));
  await app.ready();
  return app;
}
