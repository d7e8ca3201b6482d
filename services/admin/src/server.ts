import { randomUUID } from "node:crypto";
import { type OperationId, operation } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import {
  answerUnrouted,
  type Caller,
  challengeUnauthorized,
  guardedRoute,
  nameSessions,
  noRouteSchemas,
  onlyOperations,
  requireCaller,
  takeStrictJson,
  traceForwarded,
  unreadablePaths,
} from "@postern/shared/platform/http";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import type { AdminContext } from "./context.ts";
import { registerMfaBackchannel } from "./mfa-backchannel/routes.ts";
import { validateRequests } from "./plugins/openapi-validation.ts";
import { getJob } from "./routes/async/get-job.ts";
import { registerBruteForceRoutes } from "./routes/bruteforce/register.ts";
import { registerCacheRoutes } from "./routes/cache/register.ts";
import { getConfigLoad } from "./routes/config/get-load.ts";
import { registerConsole } from "./routes/console/register.ts";
import { registerConsolePages } from "./routes/console-pages/register.ts";
import { registerHooks } from "./routes/custom/register.ts";
import { registerJwtRoutes } from "./routes/jwt/register.ts";
import { getOpenapi } from "./routes/openapi/get-openapi.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The API caller that the gateway has authenticated. */
    caller: Caller | null;
  }
}

/** The management API behind the gateway. */
export async function createAdmin(context: AdminContext): Promise<FastifyInstance> {
  const { settings, live, readCaller, logger } = context;
  const { identifier, maxBodyBytes } = settings;
  const app = Fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    ...noRouteSchemas,
    ...unreadablePaths(identifier),
  });
  app.decorateRequest("caller", null);
  challengeUnauthorized(app, () => live.current.challenges);
  nameSessions(app, identifier, requireCaller(readCaller));
  traceForwarded(app, context.tracer);
  takeStrictJson(app);
  onlyOperations(app, "admin");
  answerUnrouted(app);
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
  const guarded = (id: OperationId) => guardedRoute(operation(id), identifier);
  app.route({ ...guarded("loadConfiguration"), handler: getConfigLoad(() => live.current.configLoad, context.audit) });
  app.route({ ...guarded("managementContractYaml"), handler: getOpenapi(context.openapi, "yaml") });
  app.route({ ...guarded("managementContractJson"), handler: getOpenapi(context.openapi, "json") });
  await app.register(async (scope) => registerJwtRoutes(scope, context));
  await app.register(async (scope) => {
    scope.addHook(
      "preHandler",
      validateRequests(() => live.current.requestValidation, logger),
    );
    registerCacheRoutes(scope, context);
    registerBruteForceRoutes(scope, context);
    scope.route({ ...guarded("readJob"), handler: getJob(context.jobs.read) });
  });
  registerConsole(app, context);
  const pages = context.consolePages?.({
    send: (request) => app.inject(request),
    stream: async (request) => {
      const answer = await app.inject({ ...request, payloadAsStream: true });
      return { statusCode: answer.statusCode, headers: answer.headers, body: answer.stream() };
    },
  });
  if (pages !== undefined) await app.register(async (scope) => registerConsolePages(scope, pages));
  await app.register(async (scope) => registerMfaBackchannel(scope, context));
  await app.register(async (scope) => registerHooks(scope, context));
  await app.ready();
  return app;
}
