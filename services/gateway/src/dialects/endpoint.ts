import type { AuthDecision, AuthRequest, Dialect, Operation } from "@postern/shared/contracts";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Decide } from "../decide.ts";
import type { DecisionLog } from "../decision-log.ts";
import type { RequestFacts } from "./complete-request.ts";
import { CredentialsError } from "./complete-request.ts";
import type { HttpReply } from "../http/reply.ts";
import type { ReportIgnoredAddress } from "../connection/addresses.ts";
import type { AccountDelays } from "../limits/account-delays.ts";
import type { ConcurrencyGate } from "../limits/concurrency.ts";
import type { AnswerListing } from "../list-accounts/answer-listing.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { OnRequest } from "../callers/hooks.ts";
import { sendReply } from "../http/reply.ts";

/** The two functions of a dialect: bytes to a request, a decision to bytes. */
export interface DialectPair {
  readonly dialect: Dialect;
  /** @throws AppError of kind `caller` */
  readonly parse: (request: FastifyRequest, facts: RequestFacts) => AuthRequest;
  readonly decision: (decision: AuthDecision, session: string, request: FastifyRequest) => HttpReply;
  readonly malformed: (reason: string, session: string) => HttpReply;
  /**
   * For dialects whose callers treat 400 as a fault of the server: names that no account can have are denied instead.
   */
  readonly deniesUnacceptableCredentials?: boolean | undefined;
  /** Whether the query selects the operation, and `mode=list-accounts` is supported (json, cbor and header). */
  readonly listsAccounts?: boolean | undefined;
}

/** The operations of a dialect. */
export interface DialectRoute {
  readonly operations: readonly Operation[];
  readonly pair: DialectPair;
  /** Replaces caller authentication if the credentials are the user's and not the caller's. */
  readonly onRequest?: OnRequest;
}

export interface AuthRouteDeps {
  readonly decide: Decide;
  readonly answerListing: AnswerListing;
  readonly metrics: GatewayMetrics;
  readonly log: DecisionLog;
  readonly gate: ConcurrencyGate;
  readonly accountDelays: AccountDelays;
  readonly callerAddress: (request: FastifyRequest) => string;
  readonly factsOf: (request: FastifyRequest, dialect: Dialect) => RequestFacts;
  readonly reportIgnoredAddress: ReportIgnoredAddress;
  /** Adds the error result of OAUTHBEARER to the denial of a token. */
  readonly addOauthFailure: (reply: HttpReply, request: AuthRequest, decision: AuthDecision) => HttpReply;
}

interface Answered {
  readonly authRequest: AuthRequest;
  readonly decision: AuthDecision;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly seconds: number;
}

/** Never rejects: every error is answered in the dialect. */
export type AuthHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

function tempfail(error: AppError): AuthDecision {
  return { outcome: "tempfail", code: error.code, message: error.publicMessage };
}

/**
 * Parses a request, obtains a decision, answers, and reports it once to the log and the metrics. Above the limit of concurrent requests the
 * answer is an immediate temporary failure (ADR 0013).
 */
export function createAuthHandler(pair: DialectPair, deps: AuthRouteDeps): AuthHandler {
  const { decide, metrics, log, gate, factsOf, accountDelays, callerAddress, addOauthFailure } = deps;
  /** Milliseconds; 0: answer now. */
  const hold = ({ authRequest, decision, request, reply, seconds }: Answered, send: () => void): number => {
    // The client disconnected during the decision, so the socket reports no further event.
    if (reply.raw.destroyed) return 0;
    const delayed = {
      decision,
      isPeer: authRequest.clientIpIsPeer === true,
      caller: callerAddress(request),
      elapsedMs: seconds * 1000,
      patienceMs: Number.POSITIVE_INFINITY,
    };
    const waiting = accountDelays.delay(delayed, send);
    if (waiting === undefined) return 0;
    reply.raw.once("close", waiting.cancel);
    return waiting.ms;
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    let facts: RequestFacts | undefined;
    try {
      const started = performance.now();
      facts = factsOf(request, pair.dialect);
      const authRequest = pair.parse(request, facts);
      if (authRequest.operation === "list-accounts") {
        await answerList(pair, { authRequest, request, reply }, deps);
        return;
      }
      const decision = await decide(authRequest);
      const rendered = addOauthFailure(pair.decision(decision, request.id, request), authRequest, decision);
      const send = (): void => sendReply(reply, rendered);
      const seconds = (performance.now() - started) / 1000;
      const delayedMs = "holdMs" in decision ? hold({ authRequest, decision, request, reply, seconds }, send) : 0;
      if (delayedMs === 0) send();
      metrics.decided({ dialect: pair.dialect, operation: authRequest.operation, outcome: decision.outcome, seconds });
      log.decided(authRequest, decision, seconds, { delayedMs, caller: request.callerName });
    } catch (thrown) {
      refuse(pair, { request, reply, thrown, clientIp: facts?.clientIp }, deps);
    } finally {
      gate.leave();
    }
  };
  return (request, reply) => {
    if (gate.enter()) return answer(request, reply);
    sendReply(reply, pair.decision(tempfail(new AppError("OVERLOADED")), request.id, request));
    return Promise.resolve();
  };
}

interface ListingRequest {
  readonly authRequest: AuthRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function answerList(
  { dialect, decision, listsAccounts = false }: DialectPair,
  { authRequest, request, reply }: ListingRequest,
  { answerListing, metrics, log }: AuthRouteDeps,
): Promise<void> {
  if (!listsAccounts) throw new AppError("REQUEST_MALFORMED", { publicMessage: "mode is not supported" });
  const result = await answerListing(authRequest, request.raw, reply.hijack().raw);
  if (result.error !== undefined && !result.isBegun)
    sendReply(reply, decision(tempfail(result.error), request.id, request));
  const { outcome, firstPageSeconds } = result;
  metrics.decided({ dialect, operation: authRequest.operation, outcome, seconds: firstPageSeconds });
  log.listed(authRequest, result, request.callerName);
}

export interface Refused {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly thrown: unknown;
  /** Set if it has been determined before. */
  readonly clientIp?: string | undefined;
}

const unacceptable: AuthDecision = { outcome: "fail", reason: "unacceptable_credentials", memoryCache: "miss" };

/**
 * A malformed request is answered with 400 or its error's status. Anything else that was thrown is a bug, and a temporary failure for the
 * caller.
 */
export function refuse(
  pair: DialectPair,
  { request, reply, thrown, clientIp }: Refused,
  { metrics, log, factsOf }: Pick<AuthRouteDeps, "metrics" | "log" | "factsOf">,
): void {
  const error = thrown instanceof AppError ? thrown : new AppError("INTERNAL", { cause: thrown });
  const { kind, httpStatus: status } = errorCodes[error.code];
  if (kind !== "caller") {
    log.failed(request.id, error);
    sendReply(reply, pair.decision(tempfail(error), request.id, request));
    return;
  }
  metrics.malformed(pair.dialect);
  const { dialect } = pair;
  const address = clientIp ?? factsOf(request, dialect).clientIp;
  log.malformed({ session: request.id, dialect, error, clientIp: address, caller: request.callerName });
  if (error instanceof CredentialsError && pair.deniesUnacceptableCredentials === true) {
    sendReply(reply, pair.decision(unacceptable, request.id, request));
    return;
  }
  const { headers, body } = pair.malformed(error.publicMessage, request.id);
  sendReply(reply, { status, headers, body });
}
