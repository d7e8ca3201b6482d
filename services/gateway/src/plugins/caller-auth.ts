import type { ServerResponse } from "node:http";
import type { VerifiedToken } from "@postern/shared/domain/tokens";
import type { Caller } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { mayDo } from "../caller-auth/basic-caller.ts";
import { type BearerCaller, bearerName } from "../caller-auth/bearer.ts";
import type { CallerCheck, CallerFinding, FoundBasicCaller } from "../caller-auth/check-caller.ts";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import { lackingScopes, opens, type ScopeNeed } from "../caller-auth/scopes.ts";
import type { FailureBudget } from "../limits/failure-budget.ts";
import type { RejectCaller } from "./reject-caller.ts";

interface PendingCaller {
  readonly response: ServerResponse;
  /** How long a caller waits for its token's state. */
  readonly timeoutMs: number;
}

/** Resolves with the result, when the caller disconnects, or at the timeout. */
async function settledCaller(
  found: Promise<CallerFinding>,
  { response, timeoutMs }: PendingCaller,
): Promise<CallerFinding> {
  const { promise: over, resolve } = Promise.withResolvers<CallerFinding>();
  const leave = (): void => resolve("canceled");
  const timer = setTimeout(() => resolve("deadline_exceeded"), timeoutMs);
  response.once("close", leave);
  try {
    return await Promise.race([found, over]);
  } catch {
    return "unavailable";
  } finally {
    clearTimeout(timer);
    response.removeListener("close", leave);
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** How the API caller authenticated; `none` before that, and where no authentication is required. */
    callerMethod: Caller["method"];
    /** Whether the caller is admitted without authentication. */
    isOpenCaller: boolean;
    /** The name of the credential's owner. */
    callerName: string | null;
    /** The token of a Bearer caller. */
    callerToken: VerifiedToken | null;
  }
}

/** A hook that may wait. It rejects a request by answering it; Fastify then calls neither further hooks nor the handler. */
export type OnRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface CallerAuthDeps {
  readonly check: () => CallerCheck;
  /** How long a caller waits for the state of its token, in milliseconds. */
  readonly timeoutMs: () => number;
  readonly reject: RejectCaller;
  readonly counted: (outcome: CallerAuthOutcome) => void;
  /** Counts requests of a Basic caller. */
  readonly basicCounted: (name: string, outcome: CallerAuthOutcome) => void;
  readonly budget: FailureBudget;
  readonly callerAddress: (request: FastifyRequest) => string;
  readonly callerAddressKey: (request: FastifyRequest) => string;
  /** For callers that are admitted without authentication. */
  readonly limitAddress: OnRequest;
}

/** What a route requires of its callers. */
export interface RouteDemand {
  readonly needOf: (request: FastifyRequest) => ScopeNeed;
  /** The operation of a request; undefined if no operation serves it. Asked for callers with a list of operations only. */
  readonly actionOf: (request: FastifyRequest) => string | undefined;
}

/** Read while the socket exists: the address of a disconnected client is no longer available. */
interface From {
  readonly callerIp: string;
  readonly addressKey: string;
}

interface Attempt {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly from?: From | undefined;
  /** The scopes that a rejected token lacks. */
  readonly lacking?: readonly string[];
  /** The name of a rejected caller that has authenticated. */
  readonly caller?: string;
}

function recogniseBasic(request: FastifyRequest, { caller }: FoundBasicCaller, action: RouteDemand["actionOf"]) {
  if (caller.actions !== undefined && !mayDo(caller, action(request))) return "operation_denied";
  request.callerMethod = "basic";
  request.callerName = caller.name;
  return "ok_basic";
}

function recogniseBearer(request: FastifyRequest, { token }: BearerCaller, need: ScopeNeed) {
  if (!opens(token, need)) return "missing_scope";
  request.callerMethod = "bearer";
  request.callerName = bearerName(token);
  request.callerToken = token;
  return "ok_bearer";
}

/** Stores an admitted caller on the request, and returns the outcome of the check. */
function recognise(
  request: FastifyRequest,
  finding: CallerFinding,
  { needOf, actionOf }: RouteDemand,
): CallerAuthOutcome {
  if (typeof finding === "string") return finding;
  if (finding.outcome === "ok_basic") return recogniseBasic(request, finding, actionOf);
  return recogniseBearer(request, finding, needOf(request));
}

/** What the response to a rejected caller says about it. */
function rejectedAttempt(attempt: Attempt, finding: CallerFinding, { needOf }: RouteDemand): Attempt {
  if (typeof finding === "string") return attempt;
  if (finding.outcome === "ok_basic") return { ...attempt, caller: finding.caller.name };
  return { ...attempt, lacking: lackingScopes(finding.token, needOf(attempt.request)) };
}

/** Rejects a caller: a failure takes a token, and the answer is 429 instead when none is left. */
function createFail({ reject, counted, budget, callerAddressKey }: CallerAuthDeps) {
  const finish = (
    { request, reply, from, lacking, caller }: Attempt,
    outcome: CallerAuthOutcome,
    waitMs: number,
  ): void => {
    counted(outcome);
    reject(request, reply, {
      outcome,
      ...(waitMs === 0 ? undefined : { retryAfterMs: waitMs }),
      ...(from === undefined ? undefined : { callerIp: from.callerIp }),
      ...(lacking === undefined ? undefined : { lacking }),
      ...(caller === undefined ? undefined : { caller }),
    });
  };
  return async (attempt: Attempt, outcome: CallerAuthOutcome, waitMs = 0): Promise<void> => {
    if (!outcomeRow(outcome).spendsBudget) {
      finish(attempt, outcome, waitMs);
      return;
    }
    const wait = await budget.spend(attempt.from?.addressKey ?? callerAddressKey(attempt.request));
    finish(attempt, wait === 0 ? outcome : "budget_exhausted", wait);
  };
}

/**
 * Admits configured API callers, before a body is read. A success takes no token; while the address's budget is empty, credentials are not
 * evaluated.
 */
export function createCallerAuthHook(deps: CallerAuthDeps, demand: RouteDemand): OnRequest {
  const { check, timeoutMs, counted, basicCounted, budget, callerAddress, callerAddressKey, limitAddress } = deps;
  const fail = createFail(deps);
  const settle = async (attempt: Attempt, finding: CallerFinding): Promise<void> => {
    const { request, reply } = attempt;
    const outcome = recognise(request, finding, demand);
    if (typeof finding !== "string" && finding.outcome === "ok_basic") basicCounted(finding.caller.name, outcome);
    if (outcomeRow(outcome).httpStatus !== 200) {
      await fail(rejectedAttempt(attempt, finding, demand), outcome);
      return;
    }
    counted(outcome);
    if (outcome !== "ok_open") return;
    request.isOpenCaller = true;
    await limitAddress(request, reply);
  };
  const settleLater = async (
    request: FastifyRequest,
    reply: FastifyReply,
    found: Promise<CallerFinding>,
  ): Promise<void> => {
    const from = { callerIp: callerAddress(request), addressKey: callerAddressKey(request) };
    const finding = await settledCaller(found, { response: reply.raw, timeoutMs: timeoutMs() });
    await settle({ request, reply, from }, finding);
  };
  const evaluate = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const found = check()(request.raw.headers.authorization, () => callerAddress(request));
    // Awaiting a finding that is known would let pipelined requests be evaluated before this one takes its token.
    return found instanceof Promise ? settleLater(request, reply, found) : settle({ request, reply }, found);
  };
  return (request, reply) =>
    budget.clear
      ? evaluate(request, reply)
      : budget.admit(callerAddressKey(request), (waitMs) =>
          waitMs === 0 ? evaluate(request, reply) : fail({ request, reply }, "budget_exhausted", waitMs),
        );
}
