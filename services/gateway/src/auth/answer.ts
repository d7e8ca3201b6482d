import type { AuthDecision, AuthRequest, Dialect } from "@postern/shared/contracts";
import { AppError, errorCodes } from "@postern/shared/platform/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ofCaller } from "../callers/caller-domains.ts";
import type { RequestFacts } from "../dialects/complete-request.ts";
import type { DialectEndpoint } from "../dialects/dialect.ts";
import { withOauthFailure } from "../dialects/oauth-failure.ts";
import { CredentialsError } from "../dialects/request-error.ts";
import { sendReply } from "../http/reply.ts";
import type { AuthDeps } from "./context.ts";

export function tempfail({ code, publicMessage }: AppError): AuthDecision {
  return { outcome: "tempfail", code, message: publicMessage };
}

/** What the gateway knows about a request apart from its body. */
function factsOf(
  request: FastifyRequest,
  dialect: Dialect,
  { addresses, reportIgnoredAddress, names }: AuthDeps,
): RequestFacts {
  const { headers } = request.raw;
  const { clientIp, clientPort, clientIpIsPeer } = addresses.clientOf(request, request.id, dialect);
  return {
    session: request.id,
    dialect,
    clientIp,
    clientPort,
    clientIpIsPeer,
    reportIgnoredAddress,
    userAgent: headers["user-agent"],
    acceptLanguage: headers["accept-language"],
    hops: headers[names.hops],
  };
}

interface Answered {
  readonly authRequest: AuthRequest;
  readonly decision: AuthDecision;
  readonly seconds: number;
}

/**
 * Parses a request, obtains a decision, answers, and reports it once to the log and the metrics. Above the limit of concurrent requests the
 * answer is an immediate temporary failure (ADR 0013). Never rejects, unless not even an error can be rendered in the dialect.
 */
export function createAuthHandler(endpoint: DialectEndpoint, deps: AuthDeps) {
  const { decide, counts, log, gate, delayAccount, addresses, names, live } = deps;
  const { dialect } = endpoint;
  /** Returns the milliseconds of the delay; 0: answer now. */
  const hold = (
    request: FastifyRequest,
    { raw }: FastifyReply,
    { authRequest, decision, seconds }: Answered,
    send: () => void,
  ): number => {
    // The client disconnected during the decision, so the socket reports no further event.
    if (raw.destroyed) return 0;
    const delayed = {
      decision,
      isPeer: authRequest.clientIpIsPeer === true,
      caller: addresses.callerAddress(request),
      elapsedMs: seconds * 1000,
      patienceMs: Number.POSITIVE_INFINITY,
    };
    const waiting = delayAccount(delayed, send);
    if (waiting === undefined) return 0;
    raw.once("close", waiting.cancel);
    return waiting.ms;
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<void> => {
    let facts: RequestFacts | undefined;
    try {
      const started = performance.now();
      facts = factsOf(request, dialect, deps);
      const { url = "", headers, rawHeaders } = request.raw;
      const parsed = endpoint.parse({ url, contentType: headers["content-type"], rawHeaders, body, facts });
      const authRequest = ofCaller(parsed, request.callerDomains);
      if (authRequest.operation === "list-accounts") {
        await answerList(endpoint, authRequest, { request, reply }, deps);
        return;
      }
      const decision = await decide(authRequest);
      const { oauthFailure: settings } = live.current;
      const plain = endpoint.decision(decision, request.id, headers);
      const rendered = withOauthFailure(plain, authRequest, decision, { names, settings });
      const send = (): void => sendReply(reply, rendered);
      const seconds = (performance.now() - started) / 1000;
      const delayedMs = "holdMs" in decision ? hold(request, reply, { authRequest, decision, seconds }, send) : 0;
      if (delayedMs === 0) send();
      counts.decided({ dialect, operation: authRequest.operation, outcome: decision.outcome, seconds });
      log.decided(authRequest, decision, seconds, { delayedMs, caller: request.callerName });
    } catch (thrown) {
      refuse(endpoint, { request, reply, thrown, clientIp: facts?.clientIp }, deps);
    } finally {
      gate.leave();
    }
  };
  return (request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<void> => {
    if (gate.enter()) return answer(request, reply, body);
    sendReply(reply, endpoint.decision(tempfail(new AppError("OVERLOADED")), request.id, request.raw.headers));
    return Promise.resolve();
  };
}

async function answerList(
  { dialect, decision, listsAccounts = false }: DialectEndpoint,
  authRequest: AuthRequest,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { answerListing, counts, log }: AuthDeps,
): Promise<void> {
  if (!listsAccounts) throw new AppError("REQUEST_MALFORMED", { publicMessage: "mode is not supported" });
  const result = await answerListing(authRequest, request.raw, reply.hijack().raw);
  if (result.error !== undefined && !result.isBegun)
    sendReply(reply, decision(tempfail(result.error), request.id, request.raw.headers));
  const { outcome, firstPageSeconds } = result;
  counts.decided({ dialect, operation: authRequest.operation, outcome, seconds: firstPageSeconds });
  log.listed(authRequest, result, request.callerName);
}

interface Refused {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly thrown: unknown;
  readonly clientIp?: string | undefined;
}

const unacceptable: AuthDecision = { outcome: "fail", reason: "unacceptable_credentials", memoryCache: "miss" };

/**
 * Answers a malformed request with 400 or its error's status. Anything else that was thrown is a bug, and a temporary failure for the
 * caller.
 */
export function refuse(endpoint: DialectEndpoint, { request, reply, thrown, clientIp }: Refused, deps: AuthDeps): void {
  const { counts, log } = deps;
  const { dialect } = endpoint;
  const error = thrown instanceof AppError ? thrown : new AppError("INTERNAL", { cause: thrown });
  const { kind, httpStatus: status } = errorCodes[error.code];
  if (kind !== "caller") {
    log.failed(request.id, error);
    sendReply(reply, endpoint.decision(tempfail(error), request.id, request.raw.headers));
    return;
  }
  counts.malformed(dialect);
  const address = clientIp ?? factsOf(request, dialect, deps).clientIp;
  log.malformed({ session: request.id, dialect, error, clientIp: address, caller: request.callerName });
  if (error instanceof CredentialsError && endpoint.deniesUnacceptableCredentials === true) {
    sendReply(reply, endpoint.decision(unacceptable, request.id, request.raw.headers));
    return;
  }
  const { headers, body } = endpoint.malformed(error.publicMessage, request.id);
  sendReply(reply, { status, headers, body });
}
