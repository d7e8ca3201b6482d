import { type handleUnaryCall, Metadata, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { type AuthOperation, type AuthRequest, pathTo } from "@postern/shared/contracts";
import type { CallerDomains } from "@postern/shared/domain/domains";
import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { SpanStart, Tracer } from "@postern/shared/platform/tracing";
import { tempfail } from "../auth/answer.ts";
import type { CallerPatience } from "../auth/decide.ts";
import { atListener, ofCaller } from "../callers/caller-domains.ts";
import { createNeedOf } from "../callers/demands.ts";
import type { GatewayContext } from "../context.ts";
import { readAuthFields } from "../dialects/auth-fields.ts";
import { completeRequest, type RequestFacts } from "../dialects/complete-request.ts";
import type { DelayedDecision } from "../limits/account-delays.ts";
import { type AuthCall, callFacts, metadataValue, patienceOf } from "./call-facts.ts";
import { type CallResult, callerRefusal, decisionResult, errorResult, metadataText } from "./call-result.ts";
import { createCheckCall } from "./check-call.ts";
import { createListAllAccounts } from "./list-all-accounts.ts";
import type { Incoming } from "./protocol.ts";

/** @param listener what callers mean by a name without a domain; null for the domain of the site */
function createDeps(context: GatewayContext, listener: CallerDomains | null) {
  const need = createNeedOf(context.settings.identifier)("POST", pathTo("authenticateJson"));
  return {
    ...context,
    checkCall: createCheckCall(context, need),
    listener,
    /** Named in rejections. */
    baseScope: need.base,
    listAll: createListAllAccounts(context),
  };
}

type AuthServiceDeps = ReturnType<typeof createDeps>;

/** Converts a message to a request; @throws AppError REQUEST_MALFORMED */
export function requestOf(operation: AuthOperation, { message }: Incoming, facts: RequestFacts): AuthRequest {
  if (message === undefined) throw new AppError("REQUEST_MALFORMED");
  const fields = readAuthFields((wireName) => {
    const value: unknown = Reflect.get(message, wireName);
    // Proto3 cannot distinguish 0 from an absent value.
    return value === 0 ? undefined : value;
  });
  return completeRequest(fields, { operation, memoryCache: true, sharedCache: true }, facts);
}

interface ReceivedCall {
  readonly operation: AuthOperation;
  readonly incoming: Incoming;
  readonly facts: RequestFacts;
  readonly patience: CallerPatience;
  readonly caller: string | null;
  readonly domains: CallerDomains | null;
}

async function askEngine(received: ReceivedCall, { auth, listAll, releasable }: AuthServiceDeps): Promise<CallResult> {
  const { operation, incoming, facts, patience, caller, domains } = received;
  const { decide, counts, log } = auth;
  const started = performance.now();
  const request = ofCaller(requestOf(operation, incoming, facts), domains);
  if (operation === "list-accounts") return listAll(request, patience.signal, caller);
  const decision = await decide(request, patience);
  const seconds = (performance.now() - started) / 1000;
  counts.decided({ dialect: "grpc", operation, outcome: decision.outcome, seconds });
  const result = decisionResult(decision, facts.session, releasable);
  const delayed: DelayedDecision = {
    decision,
    isPeer: request.clientIpIsPeer === true,
    caller: facts.clientIp,
    elapsedMs: seconds * 1000,
    patienceMs: patience.deadlineMs - steadyClock.now(),
  };
  const written = (delayedMs: number): void => log.decided(request, decision, seconds, { delayedMs, caller });
  if (result.code === status.OK) return { ...result, delayed, written };
  written(0);
  return result;
}

/** A decision if the response message can contain one, otherwise a code. */
function undecided({ operation, facts }: ReceivedCall, error: AppError, { releasable }: AuthServiceDeps): CallResult {
  if (operation === "list-accounts") return errorResult(error);
  return decisionResult(tempfail(error), facts.session, releasable);
}

/** Above the limit of concurrent requests the answer is an immediate temporary failure (ADR 0013). */
async function answer(received: ReceivedCall, deps: AuthServiceDeps): Promise<CallResult> {
  const { gate, counts, log } = deps.auth;
  if (!gate.enter()) return undecided(received, new AppError("OVERLOADED"), deps);
  try {
    return await askEngine(received, deps);
  } catch (thrown) {
    const error = fromUnknown(thrown);
    const { facts, caller } = received;
    const { session, clientIp } = facts;
    if (error.row.kind !== "caller") {
      log.failed(session, error);
      return undecided(received, error, deps);
    }
    counts.malformed("grpc");
    log.malformed({ session, dialect: "grpc", error, clientIp, caller });
    return errorResult(error);
  } finally {
    gate.leave();
  }
}

async function answerTraced(
  received: ReceivedCall,
  traceparent: string | undefined,
  tracer: Tracer,
  deps: AuthServiceDeps,
): Promise<CallResult> {
  const { operation, facts } = received;
  const start = (): SpanStart => ({
    name: `grpc ${operation}`,
    kind: "server",
    attributes: { "rpc.system.name": "grpc", "rpc.method": operation, "postern.session": facts.session },
  });
  const span = tracer.begin(start, traceparent);
  if (span === undefined) return answer(received, deps);
  const result = await tracer.run(span, () => answer(received, deps));
  span.end(result.code === status.OK ? undefined : String(result.code));
  return result;
}

async function serve(operation: AuthOperation, call: AuthCall, deps: AuthServiceDeps, session: string) {
  const { auth, live, checkCall, listener, baseScope, tracer } = deps;
  const { reportIgnoredAddress, names } = auth;
  const places = { trusted: live.current.trustedProxies, hopsHeader: names.hops };
  const facts = { ...callFacts(call, session, places), reportIgnoredAddress };
  const patience = patienceOf(call);
  const authorization = metadataValue(call.metadata, "authorization");
  const { outcome, name, domains } = await checkCall(authorization, facts, operation, patience);
  const refusal = callerRefusal(outcome, baseScope);
  if (refusal !== undefined) return refusal;
  const traceparent = outcome === "ok_open" ? undefined : metadataValue(call.metadata, "traceparent");
  const received = {
    operation,
    incoming: call.request,
    facts,
    patience,
    caller: name,
    domains: atListener(listener, domains),
  };
  return tracer === undefined ? answer(received, deps) : answerTraced(received, traceparent, tracer, deps);
}

/** The methods of `AuthService`: one for each `mode` of the HTTP endpoints. */
export function createAuthService(
  context: GatewayContext,
  listener: CallerDomains | null,
): UntypedServiceImplementation {
  const deps = createDeps(context, listener);
  const { delayAccount, log, names } = deps.auth;
  const sessionKey = names.session.toLowerCase();
  const method =
    (operation: AuthOperation): handleUnaryCall<Incoming, object> =>
    (call, callback) => {
      const session = deps.newSession();
      const metadata = new Metadata();
      metadata.set(sessionKey, session);
      const end = (result: CallResult): void => {
        if (result.code !== status.OK) {
          callback({ code: result.code, details: metadataText(result.details), metadata });
          return;
        }
        metadata.set("auth-status", result.authStatus);
        if (result.contentLanguage !== undefined)
          metadata.set("content-language", metadataText(result.contentLanguage));
        call.sendMetadata(metadata);
        callback(null, result.message);
      };
      const answer = (result: CallResult): void => {
        const delayed = result.code === status.OK ? result.delayed : undefined;
        const waiting = delayed && delayAccount(delayed, () => end(result));
        if (result.code === status.OK) result.written?.(waiting?.ms ?? 0);
        if (waiting === undefined) end(result);
        else
          call.once("cancelled", () => {
            waiting.cancel();
            end(result);
          });
      };
      serve(operation, call, deps, session).then(answer, (thrown: unknown) => {
        const error = new AppError("INTERNAL", { cause: thrown });
        log.failed(session, error);
        end(errorResult(error));
      });
    };
  return {
    Authenticate: method("authenticate"),
    LookupIdentity: method("lookup"),
    ListAccounts: method("list-accounts"),
  };
}
