import type { Logger } from "@postern/shared/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import type { RejectionDelay } from "../caller-auth/rejection.ts";
import type { WireNames } from "../dialects/naming.ts";
import { writeRaw } from "./send-reply.ts";

export interface RejectCallerDeps {
  readonly delay: RejectionDelay;
  readonly names: WireNames;
  readonly logger: Pick<Logger, "warn">;
  readonly addressOf: (request: FastifyRequest) => string;
}

export interface Rejection {
  readonly outcome: CallerAuthOutcome;
  /** For outcomes with `Retry-After`; one second where nobody knows better. */
  readonly retryAfterMs?: number;
}

export type RejectCaller = (request: FastifyRequest, reply: FastifyReply, rejection: Rejection) => void;

const challenge = 'Basic realm="postern", charset="UTF-8"';
const noBody = Buffer.alloc(0);

/** Whole seconds, and never "now". */
export function retryAfterSeconds(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1000)));
}

/**
 * Answers a caller that is not let in as the outcome's row says: status, headers, delay, and the one warning with
 * transport, address and a fixed reason only (contract, "Caller rejection outcomes").
 */
export function createRejectCaller({ delay, names, logger, addressOf }: RejectCallerDeps): RejectCaller {
  return (request, reply, { outcome, retryAfterMs = 1000 }) => {
    const row = outcomeRow(outcome);
    if (row.logReason !== "none") {
      logger.warn({ transport: "http", client_ip: addressOf(request), reason: row.logReason }, "caller rejected");
    }
    reply.hijack();
    const headers = [names.session, request.id];
    if (row.httpStatus === 401) headers.push("WWW-Authenticate", challenge);
    if (row.retryAfter) headers.push("Retry-After", retryAfterSeconds(retryAfterMs));
    headers.push("Content-Length", "0");
    const answer = (closing: boolean): void =>
      writeRaw(reply.raw, row.httpStatus, closing ? [...headers, "Connection", "close"] : headers, noBody);
    if (row.delayedOnHttp) delay.later(reply.raw, answer);
    else answer(false);
  };
}
