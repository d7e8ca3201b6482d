import type { Caller } from "@postern/shared/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerCheck } from "../caller-auth/check-caller.ts";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import type { RejectCaller } from "./reject-caller.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How the caller of the back channel proved itself; `none` before, and where nobody asks. */
    callerMethod: Caller["method"];
  }
}

export interface CallerAuthDeps {
  readonly check: () => CallerCheck;
  readonly reject: RejectCaller;
  readonly counted: (outcome: CallerAuthOutcome) => void;
}

export type CallerAuthHook = (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;

/** Lets the configured callers of the back channel in, before a body is read. */
export function createCallerAuthHook({ check, reject, counted }: CallerAuthDeps): CallerAuthHook {
  return (request, reply, next) => {
    const outcome = check()(request.raw.headers.authorization);
    counted(outcome);
    if (outcomeRow(outcome).httpStatus !== 200) {
      reject(request, reply, { outcome });
      return;
    }
    request.callerMethod = outcome === "ok_basic" ? "basic" : "none";
    next();
  };
}
