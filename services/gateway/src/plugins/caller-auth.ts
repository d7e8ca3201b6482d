import type { Caller } from "@postern/shared/http";
import type { Logger } from "@postern/shared/logging";
import type { VerifiedToken } from "@postern/shared/tokens";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerCheck, CallerFinding } from "../caller-auth/check-caller.ts";
import { type CallerAuthOutcome, callerAuthOutcomes } from "../caller-auth/outcome.ts";
import type { RejectionDelay } from "../caller-auth/rejection.ts";
import { opens, type ScopeNeed } from "../caller-auth/scopes.ts";
import type { WireNames } from "../dialects/naming.ts";
import { settleCaller } from "./pending-caller.ts";
import { writeRaw } from "./send-reply.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How the caller of the back channel proved itself; `none` before, and where nobody asks. */
    callerMethod: Caller["method"];
    /** The token of a Bearer caller. */
    callerToken: VerifiedToken | null;
  }
}

export interface CallerAuthDeps {
  readonly check: () => CallerCheck;
  /** How long a caller waits for the state of its token, in milliseconds. */
  readonly timeoutMs: () => number;
  /** Values of `WWW-Authenticate`: the ways to authenticate that are configured. */
  readonly challenges: () => readonly string[];
  readonly delay: RejectionDelay;
  readonly names: WireNames;
  readonly logger: Logger;
  readonly counted: (outcome: CallerAuthOutcome) => void;
  readonly addressOf: (request: FastifyRequest) => string;
}

export type CallerAuthHook = (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;

interface Rejection {
  readonly outcome: CallerAuthOutcome;
  readonly address: string;
}

const noBody = Buffer.alloc(0);

/** Puts a caller who was let in on the request, and says with what outcome it leaves this check. */
function admit(request: FastifyRequest, finding: CallerFinding, need: ScopeNeed): CallerAuthOutcome {
  if (typeof finding === "string") {
    if (finding === "ok_basic") request.callerMethod = "basic";
    return finding;
  }
  if (!opens(finding.token, need)) return "missing_scope";
  request.callerMethod = "bearer";
  request.callerToken = finding.token;
  return "ok_bearer";
}

function rejectionHeaders(outcome: CallerAuthOutcome, challenges: readonly string[]): string[] {
  const { httpStatus, retryAfterSeconds } = callerAuthOutcomes[outcome];
  const headers = retryAfterSeconds === undefined ? [] : ["Retry-After", String(retryAfterSeconds)];
  return httpStatus === 401 ? challenges.flatMap((challenge) => ["WWW-Authenticate", challenge]) : headers;
}

/**
 * Lets the configured callers of the back channel in, before a body is read. A rejection is logged with transport,
 * address and a fixed reason only, and a genuine one answered after 300 ms (contract, "Caller rejection outcomes").
 */
export function createCallerAuthHook(
  { check, timeoutMs, challenges, delay, names, logger, counted, addressOf }: CallerAuthDeps,
  needOf: (request: FastifyRequest) => ScopeNeed,
): CallerAuthHook {
  const reject = (request: FastifyRequest, reply: FastifyReply, { outcome, address }: Rejection): void => {
    const { httpStatus, delayed } = callerAuthOutcomes[outcome];
    const message = httpStatus === 503 ? "caller undecided" : "caller rejected";
    logger.warn({ transport: "http", client_ip: address, reason: outcome }, message);
    reply.hijack();
    const headers = [names.session, request.id, ...rejectionHeaders(outcome, challenges()), "Content-Length", "0"];
    const answer = (closing: boolean): void =>
      writeRaw(reply.raw, httpStatus, closing ? [...headers, "Connection", "close"] : headers, noBody);
    if (delayed) delay.later(reply.raw, answer);
    else answer(false);
  };
  return (request, reply, next) => {
    const settle = (finding: CallerFinding, address?: string): void => {
      const outcome = admit(request, finding, needOf(request));
      counted(outcome);
      if (callerAuthOutcomes[outcome].httpStatus === 200) next();
      else reject(request, reply, { outcome, address: address ?? addressOf(request) });
    };
    const found = check()(request.raw.headers.authorization);
    if (!(found instanceof Promise)) {
      settle(found);
      return;
    }
    // Now, as a request whose client has left has no socket any more.
    const address = addressOf(request);
    settleCaller(found, { response: reply.raw, timeoutMs: timeoutMs() }, (finding) => settle(finding, address));
  };
}
