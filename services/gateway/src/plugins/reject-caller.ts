import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import type { RejectionDelay } from "../caller-auth/rejection.ts";
import type { WireNames } from "../dialects/naming.ts";
import { writeRaw } from "./send-reply.ts";

export interface RejectCallerDeps {
  readonly delay: RejectionDelay;
  readonly names: WireNames;
  /** `WWW-Authenticate` values: the configured ways to authenticate. */
  readonly challenges: () => readonly string[];
  readonly logger: Pick<Logger, "warn">;
  readonly audit: Audit;
  readonly callerAddress: (request: FastifyRequest) => string;
}

export interface Rejection {
  readonly outcome: CallerAuthOutcome;
  /** For outcomes with `Retry-After`; one second if no better value is known. */
  readonly retryAfterMs?: number;
  /** For requests that may have lost their client, and with it the address. */
  readonly callerIp?: string;
  /** Scopes that a token lacks. */
  readonly lacking?: readonly string[];
  /** The name of a caller that has authenticated. For the audit stream only. */
  readonly caller?: string;
}

export type RejectCaller = (request: FastifyRequest, reply: FastifyReply, rejection: Rejection) => void;

/** In whole seconds, at least 1. */
export function retryAfterSeconds(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1000)));
}

const bearer = /^Bearer\b/;

/**
 * No DPoP challenge: clients would take it as an invitation to send a proof (RFC 9449 §7.1), which is never accepted here.
 */
const unbound =
  "tokens that are bound to a key are not accepted: request one without a DPoP proof or client certificate";

/** RFC 6750 §3.1: one error code says what was wrong with a token, never which part of it. */
const tokenErrors: Readonly<Partial<Record<CallerAuthOutcome, string>>> = {
  bad_token: 'error="invalid_token"',
  wrong_token_type: 'error="invalid_token"',
  bound_token: `error="invalid_token", error_description="${unbound}"`,
};

function challengesFor(
  outcome: CallerAuthOutcome,
  configured: readonly string[],
  lacking: readonly string[],
): readonly string[] {
  if (outcome === "missing_scope") {
    const scope = lacking.length === 0 ? "" : `, scope="${lacking.join(" ")}"`;
    return configured.filter((one) => bearer.test(one)).map((one) => `${one}, error="insufficient_scope"${scope}`);
  }
  if (outcomeRow(outcome).httpStatus !== 401) return [];
  const { [outcome]: error } = tokenErrors;
  return error === undefined ? configured : configured.map((one) => (bearer.test(one) ? `${one}, ${error}` : one));
}

/**
 * Answers a rejected caller by the outcome's row: status, headers, delay, and one warning with session, transport, address and a fixed
 * reason.
 */
export function createRejectCaller({
  delay,
  names,
  challenges,
  logger,
  audit,
  callerAddress,
}: RejectCallerDeps): RejectCaller {
  return (request, reply, { outcome, retryAfterMs = 1000, callerIp, lacking = [], caller }) => {
    const row = outcomeRow(outcome);
    if (row.logReason !== "none") {
      const address = callerIp ?? callerAddress(request);
      const isUndecided = row.httpStatus === 503;
      // `client_ip` is the field's name in the log: here the address of the API caller.
      const fields = { session: request.id, transport: "http", client_ip: address, reason: row.logReason };
      logger.warn(fields, isUndecided ? "caller could not be verified" : "caller rejected");
      const outcome = isUndecided ? "undecided" : "denied";
      audit.record({
        event: "caller.rejected",
        outcome,
        actor: caller,
        clientIp: address,
        session: request.id,
        reason: row.logReason,
        protocol: "http",
      });
    }
    reply.hijack();
    const headers = [names.session, request.id];
    for (const challenge of challengesFor(outcome, challenges(), lacking)) headers.push("WWW-Authenticate", challenge);
    if (row.retryAfter) headers.push("Retry-After", retryAfterSeconds(retryAfterMs));
    headers.push("Content-Length", "0");
    const answer = (closing: boolean): void =>
      writeRaw(reply.raw, row.httpStatus, closing ? [...headers, "Connection", "close"] : headers, "");
    if (row.delayedOnHttp) delay.later(reply.raw, answer);
    else answer(false);
  };
}
