import type { Caller } from "@postern/shared/http";
import type { VerifiedToken } from "@postern/shared/tokens";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerCheck, CallerFinding } from "../caller-auth/check-caller.ts";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import { opens, type ScopeNeed } from "../caller-auth/scopes.ts";
import type { FailureBudget } from "../limits/failure-budget.ts";
import { settleCaller } from "./pending-caller.ts";
import type { RejectCaller } from "./reject-caller.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How the caller of the back channel proved itself; `none` before, and where nobody asks. */
    callerMethod: Caller["method"];
    /** Whose credential it was. */
    callerName: string | null;
    /** The token of a Bearer caller. */
    callerToken: VerifiedToken | null;
  }
}

export type OnRequest = (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;

export interface CallerAuthDeps {
  readonly check: () => CallerCheck;
  /** The user name that Basic callers prove. */
  readonly basicName: () => string;
  /** How long a caller waits for the state of its token, in milliseconds. */
  readonly timeoutMs: () => number;
  readonly reject: RejectCaller;
  readonly counted: (outcome: CallerAuthOutcome) => void;
  readonly budget: FailureBudget;
  readonly addressOf: (request: FastifyRequest) => string;
  readonly addressKeyOf: (request: FastifyRequest) => string;
  /** For callers that come in without being asked who they are. */
  readonly limitAddress: OnRequest;
}

interface Recognised extends Pick<CallerAuthDeps, "basicName"> {
  readonly request: FastifyRequest;
  readonly need: ScopeNeed;
}

/** Read while the socket is there: a request whose client has left has no address any more. */
interface From {
  readonly clientIp: string;
  readonly addressKey: string;
}

interface Attempt {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly next: () => void;
  readonly from?: From;
}

/** Clients of which another party is the subject act for it: both are told. */
function bearerName({ clientId, subject }: VerifiedToken): string {
  return clientId === "" || clientId === subject ? subject : `${clientId}:${subject}`;
}

/** Puts a caller who was let in on the request, and says with what outcome it leaves this check. */
function recognise({ request, need, basicName }: Recognised, finding: CallerFinding): CallerAuthOutcome {
  if (typeof finding === "string") {
    if (finding === "ok_basic") {
      request.callerMethod = "basic";
      request.callerName = basicName();
    }
    return finding;
  }
  if (!opens(finding.token, need)) return "missing_scope";
  request.callerMethod = "bearer";
  request.callerName = bearerName(finding.token);
  request.callerToken = finding.token;
  return "ok_bearer";
}

/** How a caller that is not let in leaves: a failure takes a token, and there is 429 in its place when none is left. */
function createFail({ reject, counted, budget, addressKeyOf }: CallerAuthDeps) {
  const finish = ({ request, reply, from }: Attempt, outcome: CallerAuthOutcome, waitMs: number): void => {
    counted(outcome);
    reject(request, reply, {
      outcome,
      ...(waitMs === 0 ? undefined : { retryAfterMs: waitMs }),
      ...(from === undefined ? undefined : { clientIp: from.clientIp }),
    });
  };
  return (attempt: Attempt, outcome: CallerAuthOutcome, waitMs = 0): void => {
    if (!outcomeRow(outcome).spendsBudget) {
      finish(attempt, outcome, waitMs);
      return;
    }
    budget.spend(attempt.from?.addressKey ?? addressKeyOf(attempt.request), (wait) =>
      finish(attempt, wait === 0 ? outcome : "budget_exhausted", wait),
    );
  };
}

/**
 * Lets the configured callers of the back channel in, before a body is read (contract, "Backchannel callers" and
 * "Failure-budget rules"). A success costs its evaluation and nothing else; while the address's budget is empty there
 * is no evaluation.
 */
export function createCallerAuthHook(deps: CallerAuthDeps, needOf: (request: FastifyRequest) => ScopeNeed): OnRequest {
  const { check, basicName, timeoutMs, counted, budget, addressOf, addressKeyOf, limitAddress } = deps;
  const fail = createFail(deps);
  const settle = (attempt: Attempt, finding: CallerFinding): void => {
    const { request, reply, next } = attempt;
    const outcome = recognise({ request, need: needOf(request), basicName }, finding);
    if (outcomeRow(outcome).httpStatus !== 200) {
      fail(attempt, outcome);
      return;
    }
    counted(outcome);
    if (outcome === "ok_open") limitAddress(request, reply, next);
    else next();
  };
  const evaluate = (attempt: Attempt): void => {
    const { request, reply } = attempt;
    const found = check()(request.raw.headers.authorization);
    if (!(found instanceof Promise)) {
      settle(attempt, found);
      return;
    }
    const from = { clientIp: addressOf(request), addressKey: addressKeyOf(request) };
    const pending = { response: reply.raw, timeoutMs: timeoutMs() };
    settleCaller(found, pending, (finding) => settle({ ...attempt, from }, finding));
  };
  return (request, reply, next) => {
    const attempt = { request, reply, next };
    if (budget.clear) {
      evaluate(attempt);
      return;
    }
    budget.admit(addressKeyOf(request), (waitMs) => {
      if (waitMs === 0) evaluate(attempt);
      else fail(attempt, "budget_exhausted", waitMs);
    });
  };
}
