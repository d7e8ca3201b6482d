import { AppError, errorCodes, fromUnknown } from "@postern/shared/platform/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AnswerCommand } from "../../auth-policy/answer-command.ts";
import { authPolicyCommandOf } from "../../auth-policy/command.ts";
import type { PolicyLog, PolicyOutcome } from "../../auth-policy/policy-log.ts";
import { type Members, readMembers } from "../../auth-policy/read-members.ts";
import type { PolicyRenderer } from "../../auth-policy/render.ts";
import type { ConcurrencyGate } from "../../limits/concurrency.ts";
import type { GatewayMetrics } from "../../metrics.ts";
import type { ReadBody } from "../../http/body.ts";
import { sendReply } from "../../http/reply.ts";

export interface AuthPolicyRouteDeps {
  /** The answers to one caller. */
  readonly answerTo: (request: FastifyRequest) => AnswerCommand;
  readonly renderer: PolicyRenderer;
  readonly log: Pick<PolicyLog, "malformed" | "failed">;
  readonly metrics: Pick<GatewayMetrics, "policyAnswered">;
  readonly gate: ConcurrencyGate;
  readonly callerAddress: (request: FastifyRequest) => string;
  readonly reportUnreadable: (session: string, value: string) => void;
  readonly readBody: ReadBody;
  readonly maxBodyBytes: number;
}

const noMembers: Members = {};

async function readBodyOf(request: FastifyRequest, { readBody, maxBodyBytes }: AuthPolicyRouteDeps): Promise<Members> {
  if (request.method === "GET") return noMembers;
  const body = await readBody(request.raw, maxBodyBytes);
  return body.length === 0 ? noMembers : readMembers(body);
}

/**
 * `POST` and `GET /api/v1/auth-policy?command=…`: the auth-policy protocol of Dovecot and weakforced. Every error has the
 * protocol's form; the mail server then decides by its own setting whether the sign-in proceeds.
 */
export function postAuthPolicy(deps: AuthPolicyRouteDeps) {
  const { answerTo, renderer, log, metrics, gate, callerAddress, reportUnreadable } = deps;
  const fail = (request: FastifyRequest, reply: FastifyReply, thrown: unknown): PolicyOutcome => {
    const error = fromUnknown(thrown);
    const { kind, httpStatus, publicMessage } = errorCodes[error.code];
    // An error of the caller kind that an engine reports is a fault of our own message.
    const isMalformed = kind === "caller" && thrown instanceof AppError;
    if (isMalformed) log.malformed(request.id, callerAddress(request), error);
    else log.failed(request.id, error);
    const reason = isMalformed ? error.publicMessage : publicMessage;
    sendReply(reply, renderer.failure(isMalformed ? httpStatus : 500, reason, request.id));
    return isMalformed ? "malformed" : "failed";
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<PolicyOutcome> => {
    const command = authPolicyCommandOf(request.raw.url ?? "");
    if (command === undefined || (request.method === "GET" && command !== "ping")) {
      throw new AppError("REQUEST_MALFORMED", { publicMessage: "command is not supported" });
    }
    const members = await readBodyOf(request, deps);
    const facts = {
      session: request.id,
      callerIp: callerAddress(request),
      reportUnreadable: (value: string) => reportUnreadable(request.id, value),
    };
    const { reply: answered, outcome } = await answerTo(request)({ command, members, facts });
    sendReply(reply, answered);
    return outcome;
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    const started = performance.now();
    const command = authPolicyCommandOf(request.raw.url ?? "") ?? "none";
    const isAdmitted = gate.enter();
    let outcome: PolicyOutcome;
    try {
      if (!isAdmitted) throw new AppError("OVERLOADED");
      outcome = await answer(request, reply);
    } catch (thrown) {
      outcome = fail(request, reply, thrown);
    } finally {
      if (isAdmitted) gate.leave();
    }
    metrics.policyAnswered(command, outcome, (performance.now() - started) / 1000);
  };
}
