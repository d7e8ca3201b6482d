import type { AuthDecision, AuthRequest, Dialect } from "@postern/shared/contracts";
import { AppError, errorCodes } from "@postern/shared/errors";
import type { FastifyReply, FastifyRequest, HTTPMethods, onRequestHookHandler } from "fastify";
import type { Decide } from "../../auth-client/decide.ts";
import type { DecisionLog } from "../../decision-log.ts";
import type { RequestFacts } from "../../dialects/complete-request.ts";
import type { DialectReply } from "../../dialects/reply.ts";
import type { ConcurrencyGate } from "../../limits/concurrency-gate.ts";
import type { AnswerListing } from "../../list-accounts/answer-listing.ts";
import type { GatewayMetrics } from "../../metrics.ts";
import { sendReply } from "../../plugins/send-reply.ts";

/** A dialect as a route needs it: bytes to a question, an answer to bytes. */
export interface DialectPair {
  readonly dialect: Dialect;
  /** @throws AppError of kind `caller` */
  readonly parse: (request: FastifyRequest, facts: RequestFacts) => AuthRequest;
  readonly decision: (decision: AuthDecision, session: string, request: FastifyRequest) => DialectReply;
  readonly malformed: (reason: string, session: string) => DialectReply;
  /** `mode=list-accounts` is offered here (contract: json, cbor and header). */
  readonly listsAccounts?: boolean | undefined;
}

/** Where a dialect is spoken (contract, "Authentication endpoints"). */
export interface DialectRoute {
  readonly method: HTTPMethods | HTTPMethods[];
  readonly url: string;
  /** A limit of the endpoint's own, below the listener's. */
  readonly maxBodyBytes?: number;
  readonly pair: DialectPair;
  /** In place of the check of the caller, where the credentials are not the caller's but the user's. */
  readonly onRequest?: readonly onRequestHookHandler[];
}

export interface AuthRouteDeps {
  readonly decide: Decide;
  readonly answerListing: AnswerListing;
  readonly metrics: GatewayMetrics;
  readonly log: DecisionLog;
  readonly gate: ConcurrencyGate;
  readonly factsOf: (request: FastifyRequest, dialect: Dialect) => RequestFacts;
}

export type AuthHandler = (request: FastifyRequest, reply: FastifyReply) => void;

function tempfail(error: AppError): AuthDecision {
  return { outcome: "tempfail", code: error.code, message: error.publicMessage };
}

/**
 * Parses, asks, answers, and tells it once to the log and once to the metrics. Above the bound on concurrent requests
 * the answer is a temporary failure at once (design decision 25).
 */
export function createAuthHandler(pair: DialectPair, deps: AuthRouteDeps): AuthHandler {
  const { decide, metrics, log, gate, factsOf } = deps;
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      const started = performance.now();
      const asked = pair.parse(request, factsOf(request, pair.dialect));
      if (asked.operation === "list-accounts") {
        await answerList(pair, { asked, request, reply }, deps);
        return;
      }
      const decision = await decide(asked);
      sendReply(reply, pair.decision(decision, request.id, request));
      const seconds = (performance.now() - started) / 1000;
      metrics.decided({ dialect: pair.dialect, operation: asked.operation, outcome: decision.outcome, seconds });
      log.decided(asked, decision, seconds);
    } catch (thrown) {
      refuse(pair, { request, reply, thrown }, { metrics, log });
    } finally {
      gate.leave();
    }
  };
  return (request, reply) => {
    if (gate.enter()) void answer(request, reply);
    else sendReply(reply, pair.decision(tempfail(new AppError("OVERLOADED")), request.id, request));
  };
}

interface AskedList {
  readonly asked: AuthRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function answerList(
  { dialect, decision, listsAccounts = false }: DialectPair,
  { asked, request, reply }: AskedList,
  { answerListing, metrics, log }: AuthRouteDeps,
): Promise<void> {
  if (!listsAccounts) throw new AppError("REQUEST_MALFORMED", { publicMessage: "mode is not supported" });
  const result = await answerListing(asked, request.raw, reply.hijack().raw);
  if (result.error !== undefined && !result.isBegun)
    sendReply(reply, decision(tempfail(result.error), request.id, request));
  const { outcome, firstPageSeconds } = result;
  metrics.decided({ dialect, operation: asked.operation, outcome, seconds: firstPageSeconds });
  log.listed(asked, result);
}

/** A request that is none is 400, or what its error says; anything else that was thrown is a bug, and to the caller a temporary failure. */
export function refuse(
  pair: DialectPair,
  {
    request,
    reply,
    thrown,
  }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly thrown: unknown },
  { metrics, log }: Pick<AuthRouteDeps, "metrics" | "log">,
): void {
  const error = thrown instanceof AppError ? thrown : new AppError("INTERNAL", { cause: thrown });
  if (errorCodes[error.code].kind === "caller") {
    metrics.malformed(pair.dialect);
    log.malformed(request.id, pair.dialect, error);
    const { headers, body } = pair.malformed(error.publicMessage, request.id);
    sendReply(reply, { status: errorCodes[error.code].httpStatus, headers, body });
    return;
  }
  log.failed(request.id, error);
  sendReply(reply, pair.decision(tempfail(error), request.id, request));
}
