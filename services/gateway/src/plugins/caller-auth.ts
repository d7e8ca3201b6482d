import type { Caller } from "@postern/shared/http";
import type { Logger } from "@postern/shared/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallerCheck } from "../caller-auth/check-caller.ts";
import { type CallerAuthOutcome, callerAuthOutcomes } from "../caller-auth/outcome.ts";
import type { RejectionDelay } from "../caller-auth/rejection.ts";
import type { WireNames } from "../dialects/naming.ts";
import { writeRaw } from "./send-reply.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How the caller of the back channel proved itself; `none` before, and where nobody asks. */
    callerMethod: Caller["method"];
  }
}

export interface CallerAuthDeps {
  readonly check: () => CallerCheck;
  readonly delay: RejectionDelay;
  readonly names: WireNames;
  readonly logger: Logger;
  readonly counted: (outcome: CallerAuthOutcome) => void;
  readonly addressOf: (request: FastifyRequest) => string;
}

export type CallerAuthHook = (request: FastifyRequest, reply: FastifyReply, next: () => void) => void;

const challenge = 'Basic realm="postern", charset="UTF-8"';
const noBody = Buffer.alloc(0);

/**
 * Lets the configured callers of the back channel in, before a body is read. A rejection is logged with transport,
 * address and a fixed reason only, and answered after 300 ms (contract, "Caller rejection outcomes").
 */
export function createCallerAuthHook({
  check,
  delay,
  names,
  logger,
  counted,
  addressOf,
}: CallerAuthDeps): CallerAuthHook {
  return (request, reply, next) => {
    const outcome = check()(request.raw.headers.authorization);
    counted(outcome);
    const row = callerAuthOutcomes[outcome];
    if (row.httpStatus === 200) {
      request.callerMethod = outcome === "ok_basic" ? "basic" : "none";
      next();
      return;
    }
    logger.warn({ transport: "http", client_ip: addressOf(request), reason: outcome }, "caller rejected");
    reply.hijack();
    const headers = [names.session, request.id, "WWW-Authenticate", challenge, "Content-Length", "0"];
    delay.later(reply.raw, (closing) => {
      writeRaw(reply.raw, row.httpStatus, closing ? [...headers, "Connection", "close"] : headers, noBody);
    });
  };
}
