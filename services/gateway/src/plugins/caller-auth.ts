import type { Caller } from "@postern/shared/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerCheck } from "../caller-auth/check-caller.ts";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import type { FailureBudget } from "../limits/failure-budget.ts";
import type { RejectCaller } from "./reject-caller.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How the caller of the back channel proved itself; `none` before, and where nobody asks. */
    callerMethod: Caller["method"];
  }
}

export type OnRequest = (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;

export interface CallerAuthDeps {
  readonly check: () => CallerCheck;
  readonly reject: RejectCaller;
  readonly counted: (outcome: CallerAuthOutcome) => void;
  readonly budget: FailureBudget;
  readonly addressKeyOf: (request: FastifyRequest) => string;
  /** For callers that come in without being asked who they are. */
  readonly limitAddress: OnRequest;
}

/**
 * Lets the configured callers of the back channel in, before a body is read (contract, "Backchannel callers" and
 * "Failure-budget rules"). A success costs its evaluation and nothing else; while the address's budget is empty there
 * is no evaluation.
 */
export function createCallerAuthHook(deps: CallerAuthDeps): OnRequest {
  const { check, reject, counted, budget, addressKeyOf, limitAddress } = deps;
  const finish = (request: FastifyRequest, reply: FastifyReply, outcome: CallerAuthOutcome, waitMs = 0): void => {
    counted(outcome);
    reject(request, reply, waitMs === 0 ? { outcome } : { outcome, retryAfterMs: waitMs });
  };
  const fail = (request: FastifyRequest, reply: FastifyReply, outcome: CallerAuthOutcome): void => {
    if (!outcomeRow(outcome).spendsBudget) {
      finish(request, reply, outcome);
      return;
    }
    budget.spend(addressKeyOf(request), (waitMs) =>
      finish(request, reply, waitMs === 0 ? outcome : "budget_exhausted", waitMs),
    );
  };
  const evaluate = (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    const outcome = check()(request.raw.headers.authorization);
    if (outcomeRow(outcome).httpStatus !== 200) {
      fail(request, reply, outcome);
      return;
    }
    counted(outcome);
    request.callerMethod = outcome === "ok_basic" ? "basic" : "none";
    if (outcome === "ok_open") limitAddress(request, reply, next);
    else next();
  };
  return (request, reply, next) => {
    if (budget.clear) {
      evaluate(request, reply, next);
      return;
    }
    budget.admit(addressKeyOf(request), (waitMs) => {
      if (waitMs === 0) evaluate(request, reply, next);
      else finish(request, reply, "budget_exhausted", waitMs);
    });
  };
}
