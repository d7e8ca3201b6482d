import { type AuthPolicyCommand, authPolicyCommands, operation, pathTo } from "@postern/shared/contracts";
import { AppError, errorCodes, fromUnknown } from "@postern/shared/platform/errors";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createNeedOf, type RouteDemand } from "../callers/demands.ts";
import type { GatewayContext } from "../context.ts";
import { readJsonObject } from "../dialects/json.ts";
import { malformed } from "../dialects/request-error.ts";
import { notFoundUnless, sendReply } from "../http/reply.ts";
import { splitTarget } from "../http/request-path.ts";
import { type AnswerCommand, createAnswerCommand } from "./answer-command.ts";
import type { DovecotDeps } from "./context.ts";
import type { PolicyOutcome } from "./policy-log.ts";

/**
 * The command in the query of a request; undefined if it is missing, unknown or given more than once. Callers append
 * `?command=…` to a URL that may have a query already.
 */
export function authPolicyCommandOf(url: string): AuthPolicyCommand | undefined {
  const [value, ...others] = new URLSearchParams(splitTarget(url).query).getAll("command");
  return others.length === 0 ? authPolicyCommands.find((command) => command === value) : undefined;
}

function isReset({ raw }: FastifyRequest): boolean {
  return authPolicyCommandOf(raw.url ?? "") === "reset";
}

/** The command determines the scopes and the operation that a caller needs. */
function createDemand(identifier: string): RouteDemand<FastifyRequest> {
  const needOf = createNeedOf(identifier);
  const authNeed = needOf("POST", pathTo("authenticateJson"));
  const reset = operation("flushBruteForceRule");
  const resetNeed = needOf(reset.method.toUpperCase(), reset.path);
  const { operationId: policyId } = operation("authPolicy");
  return {
    needOf: (request) => (isReset(request) ? resetNeed : authNeed),
    actionOf: (request) => (isReset(request) ? reset.operationId : policyId),
  };
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  answerCommand: AnswerCommand,
  deps: DovecotDeps,
): Promise<PolicyOutcome> {
  const { audit, addresses, readBody, maxBodyBytes, reportIgnoredAddress } = deps;
  const { id: session, callerMethod, callerName } = request;
  const command = authPolicyCommandOf(request.raw.url ?? "");
  if (command === undefined || (request.method === "GET" && command !== "ping"))
    throw malformed("command is not supported");
  const body = request.method === "GET" ? undefined : await readBody(request.raw, maxBodyBytes);
  const { reply: answered, outcome } = await answerCommand({
    command,
    members: body === undefined || body.length === 0 ? {} : readJsonObject(body),
    facts: {
      session,
      callerIp: addresses.callerAddress(request),
      reportUnreadable: (value: string) =>
        reportIgnoredAddress({ session, dialect: "auth_policy", reason: "unreadable", value }),
    },
    caller: callerName ?? undefined,
    domains: request.callerDomains,
    resetDone: (target, result) =>
      audit.record({
        event: "brute_force.flush",
        outcome: result,
        actor: callerName ?? callerMethod,
        method: callerMethod,
        clientIp: addresses.callerAddress(request),
        target,
        session,
      }),
  });
  sendReply(reply, answered);
  return outcome;
}

/** Every error has the protocol's form; the mail server then decides by its own setting whether the sign-in proceeds. */
function fail(
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  { log, renderer, addresses }: DovecotDeps,
): PolicyOutcome {
  const error = fromUnknown(thrown);
  const { kind, httpStatus, publicMessage } = errorCodes[error.code];
  // An error of the caller kind that an engine reports is a fault of our own message.
  const isMalformed = kind === "caller" && thrown instanceof AppError;
  if (isMalformed) log.malformed(request.id, addresses.callerAddress(request), error);
  else log.failed(request.id, error);
  const reason = isMalformed ? error.publicMessage : publicMessage;
  sendReply(reply, renderer.failure(isMalformed ? httpStatus : 500, reason, request.id));
  return isMalformed ? "malformed" : "failed";
}

/** `POST` and `GET /api/v1/auth-policy?command=…`: the auth-policy protocol of Dovecot and weakforced. */
function createHandler(deps: DovecotDeps) {
  const { gate, counts } = deps;
  const answerCommand = createAnswerCommand(deps);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    const started = performance.now();
    const command = authPolicyCommandOf(request.raw.url ?? "") ?? "none";
    const isAdmitted = gate.enter();
    let outcome: PolicyOutcome;
    try {
      if (!isAdmitted) throw new AppError("OVERLOADED");
      outcome = await answer(request, reply, answerCommand, deps);
    } catch (thrown) {
      outcome = fail(request, reply, thrown, deps);
    } finally {
      if (isAdmitted) gate.leave();
    }
    counts.policyAnswered(command, outcome, (performance.now() - started) / 1000);
  };
}

/** 404 unless `runtime.servers.http.auth_policy_endpoint` is true. */
export function registerAuthPolicy(app: FastifyInstance, context: GatewayContext): void {
  const { live, names, hooks, settings, dovecot } = context;
  const enabled = notFoundUnless(() => live.current.authPolicyEndpoint, names);
  const handler = createHandler(dovecot);
  const errorHandler = (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    // The body is JSON, whatever the request says.
    if (thrown.code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") throw thrown;
    void handler(request, reply);
  };
  const guarded = { onRequest: [enabled, hooks.callerAuth(createDemand(settings.identifier))], errorHandler, handler };
  app.route({ ...routeOf(operation("authPolicy")), ...guarded });
  app.route({ ...routeOf(operation("authPolicyPing")), ...guarded });
}
