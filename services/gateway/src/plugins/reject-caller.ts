import type { Audit } from "@postern/shared/audit";
import type { Logger } from "@postern/shared/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import type { RejectionDelay } from "../caller-auth/rejection.ts";
import type { WireNames } from "../dialects/naming.ts";
import { writeRaw } from "./send-reply.ts";

export interface RejectCallerDeps {
  readonly delay: RejectionDelay;
  readonly names: WireNames;
  /** Values of `WWW-Authenticate`: the ways to authenticate that are configured. */
  readonly challenges: () => readonly string[];
  readonly logger: Pick<Logger, "warn">;
  readonly audit: Audit;
  readonly addressOf: (request: FastifyRequest) => string;
}

export interface Rejection {
  readonly outcome: CallerAuthOutcome;
  /** For outcomes with `Retry-After`; one second where nobody knows better. */
  readonly retryAfterMs?: number;
  /** Where the request may have lost its client, and with it its address. */
  readonly clientIp?: string;
}

export type RejectCaller = (request: FastifyRequest, reply: FastifyReply, rejection: Rejection) => void;

/** Whole seconds, and never "now". */
export function retryAfterSeconds(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1000)));
}

/**
 * Answers a caller that is not let in as the outcome's row says: status, headers, delay, and the one warning with
 * transport, address and a fixed reason only (contract, "Caller rejection outcomes").
 */
export function createRejectCaller({
  delay,
  names,
  challenges,
  logger,
  audit,
  addressOf,
}: RejectCallerDeps): RejectCaller {
  return (request, reply, { outcome, retryAfterMs = 1000, clientIp }) => {
    const row = outcomeRow(outcome);
    if (row.logReason !== "none") {
      const address = clientIp ?? addressOf(request);
      const isUndecided = row.httpStatus === 503;
      const fields = { transport: "http", client_ip: address, reason: row.logReason };
      logger.warn(fields, isUndecided ? "caller undecided" : "caller rejected");
      const outcome = isUndecided ? "undecided" : "denied";
      audit.record({
        event: "caller.rejected",
        outcome,
        clientIp: address,
        session: request.id,
        reason: row.logReason,
        protocol: "http",
      });
    }
    reply.hijack();
    const headers = [names.session, request.id];
    if (row.httpStatus === 401) for (const challenge of challenges()) headers.push("WWW-Authenticate", challenge);
    if (row.retryAfter) headers.push("Retry-After", retryAfterSeconds(retryAfterMs));
    headers.push("Content-Length", "0");
    const answer = (closing: boolean): void =>
      writeRaw(reply.raw, row.httpStatus, closing ? [...headers, "Connection", "close"] : headers, "");
    if (row.delayedOnHttp) delay.later(reply.raw, answer);
    else answer(false);
  };
}
