import { randomUUID } from "node:crypto";
import type { Concern } from "@postern/shared/contracts";
import { limitCallers } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import {
  answerUnrouted,
  type Caller,
  challengeUnauthorized,
  nameSessions,
  noRouteSchemas,
  onlyOperations,
  requireCaller,
  takeStrictJson,
  traceForwarded,
  unreadablePaths,
} from "@postern/shared/platform/http";
import { type DocumentFormat, openapiTypes } from "@postern/shared/platform/openapi";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Fastify from "fastify";
import { registerBruteForceRoutes } from "./bans/routes.ts";
import { getConfigLoad } from "./config/get-load.ts";
import { registerConsole } from "./console/api-routes.ts";
import { registerConsolePages } from "./console/page-routes.ts";
import { registerShadow } from "./console/shadow/routes.ts";
import { subjectOf } from "./console/subject.ts";
import type { AdminContext } from "./context.ts";
import { registerDomains } from "./domains/routes.ts";
import { registerFlushRoutes } from "./flush/flush-route.ts";
import { registerHooks } from "./hooks/routes.ts";
import { getJob } from "./jobs/get-job.ts";
import { registerJwtRoutes } from "./jwt/routes.ts";
import { registerLostPhone } from "./lost-phone/routes.ts";
import { registerMfaBackchannel } from "./mfa-backchannel/routes.ts";
import { validateRequests } from "./openapi/request-validation.ts";
import { serve } from "./read-request.ts";
import { registerRegions } from "./regions/routes.ts";
import { registerRememberedDevices } from "./remembered-devices/routes.ts";
import { registerSuspensions } from "./suspensions/routes.ts";

/** `GET /api/v1/openapi.yaml` and `.json`: for every authenticated API caller. */
const getOpenapi =
  (format: DocumentFormat) =>
  async (_request: FastifyRequest, reply: FastifyReply, { openapi }: AdminContext): Promise<FastifyReply> =>
    reply.type(openapiTypes[format]).send(openapi()[format]);

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route is about, for callers that are limited to domains. */
    concerns?: Concern | undefined;
  }
  interface FastifyRequest {
    /** The API caller that the gateway has authenticated. */
    caller: Caller | null;
  }
}

const isAccountName = (text: string): boolean => subjectOf(text).kind === "account";

/** What the caller sees of an error; the log has the rest. */
function answerErrors(app: FastifyInstance, logger: AdminContext["logger"]): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof AppError && error.row.kind === "caller") {
      return reply.code(error.row.httpStatus).send({ error: error.publicMessage });
    }
    if ((error.statusCode ?? 500) < 500) return reply.code(400).send({ error: error.message });
    logger[error instanceof AppError ? error.row.logLevel : "error"](
      { session: request.caller?.session, err: error },
      "request failed",
    );
    return reply.code(500).send({ error: "Temporary server problem, try again later" });
  });
}

/** The management API behind the gateway. */
export async function createAdmin(context: AdminContext): Promise<FastifyInstance> {
  const { live, readCaller, logger } = context;
  const { identifier, maxBodyBytes } = context.settings;
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
  limitCallers(app, { ...context, isAccountName });
  takeStrictJson(app);
  onlyOperations(app, "admin");
  answerUnrouted(app);
  answerErrors(app, logger);
  serve(app, context, [
    ["loadConfiguration", getConfigLoad],
    ["managementContractYaml", getOpenapi("yaml")],
    ["managementContractJson", getOpenapi("json")],
  ]);
  await app.register(async (scope) => registerJwtRoutes(scope, context));
  await app.register(async (scope) => {
    scope.addHook(
      "preHandler",
      validateRequests(() => live.current.requestValidation, logger),
    );
    registerFlushRoutes(scope, context);
    registerBruteForceRoutes(scope, context);
    registerSuspensions(scope, context);
    registerRememberedDevices(scope, context);
    registerShadow(scope, context);
    registerDomains(scope, context);
    registerRegions(scope, context);
    serve(scope, context, [["readJob", getJob]]);
  });
  registerConsole(app, context);
  registerLostPhone(app, context);
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
