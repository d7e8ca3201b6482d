import { type handleUnaryCall, Metadata, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { AuthDecision, AuthOperation, AuthRequest } from "@postern/shared/contracts";
import { AppError, fromUnknown } from "@postern/shared/errors";
import type { CidrSet } from "@postern/shared/net";
import type { CallerPatience, Decide } from "../auth-client/decide.ts";
import type { DecisionLog } from "../decision-log.ts";
import { readAuthFields } from "../dialects/auth-fields.ts";
import { completeRequest, type RequestFacts } from "../dialects/complete-request.ts";
import type { WireNames } from "../dialects/naming.ts";
import type { AttributeFilter } from "../dialects/secret-attributes.ts";
import type { ConcurrencyGate } from "../limits/concurrency-gate.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { type AuthCall, callFacts, metadataValue, patienceOf } from "./call-facts.ts";
import { type CallResult, callerRefusal, errorResult } from "./call-result.ts";
import type { CheckCall } from "./check-call.ts";
import { decisionResult, metadataText } from "./decision-message.ts";
import type { ListAllAccounts } from "./list-all-accounts.ts";
import type { Incoming } from "./protocol.ts";

export interface AuthServiceDeps {
  readonly checkCall: CheckCall;
  /** The scope that a refusal names. */
  readonly baseScope: string;
  readonly trusted: () => CidrSet;
  readonly decide: Decide;
  readonly listAll: ListAllAccounts;
  readonly releasable: AttributeFilter;
  readonly gate: ConcurrencyGate;
  readonly metrics: GatewayMetrics;
  readonly log: DecisionLog;
  readonly names: WireNames;
  readonly newSession: () => string;
}

/** A message as a request; @throws AppError REQUEST_MALFORMED */
export function requestOf(operation: AuthOperation, { message }: Incoming, facts: RequestFacts): AuthRequest {
  if (message === undefined) throw new AppError("REQUEST_MALFORMED");
  const fields = readAuthFields((wireName) => {
    const value: unknown = Reflect.get(message, wireName);
    // Proto3 does not tell 0 from nothing.
    return value === 0 ? undefined : value;
  });
  return completeRequest(fields, { operation, memoryCache: true, sharedCache: true }, facts);
}

interface Question {
  readonly operation: AuthOperation;
  readonly incoming: Incoming;
  readonly facts: RequestFacts;
  readonly patience: CallerPatience;
}

function tempfail({ code, publicMessage }: AppError): AuthDecision {
  return { outcome: "tempfail", code, message: publicMessage };
}

async function askEngine(question: Question, deps: AuthServiceDeps): Promise<CallResult> {
  const { operation, incoming, facts, patience } = question;
  const { decide, listAll, releasable, metrics, log } = deps;
  const started = performance.now();
  const request = requestOf(operation, incoming, facts);
  if (operation === "list-accounts") return listAll(request, patience.signal);
  const decision = await decide(request, patience);
  const seconds = (performance.now() - started) / 1000;
  metrics.decided({ dialect: "grpc", operation, outcome: decision.outcome, seconds });
  log.decided(request, decision, seconds);
  return decisionResult(decision, facts.session, releasable);
}

/** A decision where the answer has room for one, else a code. */
function undecided({ operation, facts }: Question, error: AppError, { releasable }: AuthServiceDeps): CallResult {
  if (operation === "list-accounts") return errorResult(error);
  return decisionResult(tempfail(error), facts.session, releasable);
}

/** Above the bound on concurrent requests the answer is a temporary failure at once (design decision 25). */
async function answer(question: Question, deps: AuthServiceDeps): Promise<CallResult> {
  const { gate, metrics, log } = deps;
  if (!gate.enter()) return undecided(question, new AppError("OVERLOADED"), deps);
  try {
    return await askEngine(question, deps);
  } catch (thrown) {
    const error = fromUnknown(thrown);
    const { session } = question.facts;
    if (error.row.kind !== "caller") {
      log.failed(session, error);
      return undecided(question, error, deps);
    }
    metrics.malformed("grpc");
    log.malformed(session, "grpc", error);
    return errorResult(error);
  } finally {
    gate.leave();
  }
}

async function serve(operation: AuthOperation, call: AuthCall, deps: AuthServiceDeps, session: string) {
  const facts = callFacts(call, session, deps.trusted());
  const patience = patienceOf(call);
  const authorization = metadataValue(call.metadata, "authorization");
  const outcome = await deps.checkCall({ authorization, clientIp: facts.clientIp, patience });
  const refusal = callerRefusal(outcome, deps.baseScope);
  return refusal ?? answer({ operation, incoming: call.request, facts, patience }, deps);
}

/** The rows of `AuthService`: one for each `mode` of the HTTP endpoints. */
export function createAuthService(deps: AuthServiceDeps): UntypedServiceImplementation {
  const sessionKey = deps.names.session.toLowerCase();
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
      serve(operation, call, deps, session).then(end, (thrown: unknown) => {
        const error = new AppError("INTERNAL", { cause: thrown });
        deps.log.failed(session, error);
        end(errorResult(error));
      });
    };
  return {
    Authenticate: method("authenticate"),
    LookupIdentity: method("lookup"),
    ListAccounts: method("list-accounts"),
  };
}
