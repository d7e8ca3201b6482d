import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { retryAfterSeconds, writeRaw } from "../http/reply.ts";
import { type CallerAuthOutcome, outcomeRow } from "./outcome.ts";

const delayMs = 300;

/**
 * Each delayed answer costs a socket and a timer. Above this number answers are sent without delay and their connections closed, so that a
 * flood of wrong credentials cannot hold more than this.
 */
const maxWaiting = 1024;

/** Delays rejections by 300 ms, limited in number. */
export class RejectionDelay {
  readonly #limit: number;
  #waiting = 0;

  constructor(limit = maxWaiting) {
    this.#limit = limit;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Calls `answer` after the delay, or never if the client has disconnected by then. */
  later(response: ServerResponse, answer: (closing: boolean) => void): void {
    if (this.#waiting >= this.#limit) {
      answer(true);
      return;
    }
    this.#waiting += 1;
    const leave = (): void => {
      clearTimeout(timer);
      this.#waiting -= 1;
    };
    const timer = setTimeout(() => {
      response.removeListener("close", leave);
      this.#waiting -= 1;
      answer(false);
    }, delayMs);
    response.once("close", leave);
  }

  /** Resolves after the delay, or when the caller of a gRPC call leaves. */
  async over(signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#limit) return;
    this.#waiting += 1;
    await wait(delayMs, undefined, { signal }).catch(() => undefined);
    this.#waiting -= 1;
  }
}

interface RejectedCaller {
  readonly outcome: CallerAuthOutcome;
  readonly session: string;
  readonly callerIp: string;
  /** The name of a caller that has authenticated. For the audit stream only. */
  readonly caller: string | undefined;
}

/** Writes one warning and one audit event for a rejected caller, with session, transport, address and a fixed reason. */
export function createReportRejected(logger: Pick<Logger, "warn">, audit: Audit, transport: "http" | "grpc") {
  return ({ outcome, session, callerIp, caller }: RejectedCaller): void => {
    const { logReason: reason, httpStatus } = outcomeRow(outcome);
    const isUndecided = httpStatus === 503;
    // `client_ip` is the field's name in the log: here the address of the API caller.
    const fields = { session, transport, client_ip: callerIp, reason };
    logger.warn(fields, isUndecided ? "caller could not be verified" : "caller rejected");
    audit.record({
      event: "caller.rejected",
      outcome: isUndecided ? "undecided" : "denied",
      actor: caller,
      clientIp: callerIp,
      session,
      reason,
      protocol: transport,
    });
  };
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

export interface Rejection {
  readonly outcome: CallerAuthOutcome;
  /** For outcomes with `Retry-After`; one second if no better value is known. */
  readonly retryAfterMs?: number;
  /** For requests that may have lost their client, and with it the address. */
  readonly callerIp?: string | undefined;
  readonly lacking?: readonly string[] | undefined;
  /** The name of a caller that has authenticated. */
  readonly caller?: string | undefined;
}

interface RejectCallerDeps {
  readonly delay: RejectionDelay;
  readonly names: WireNames;
  /** `WWW-Authenticate` values: the configured ways to authenticate. */
  readonly challenges: () => readonly string[];
  readonly reportRejected: ReturnType<typeof createReportRejected>;
  readonly callerAddress: (request: FastifyRequest) => string;
}

/** Answers a rejected caller over HTTP by the outcome's row: status, headers, delay, and the report. */
export function createRejectCaller({ delay, names, challenges, reportRejected, callerAddress }: RejectCallerDeps) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { outcome, retryAfterMs = 1000, callerIp, lacking = [], caller }: Rejection,
  ): void => {
    const row = outcomeRow(outcome);
    if (row.logReason !== "none")
      reportRejected({ outcome, session: request.id, callerIp: callerIp ?? callerAddress(request), caller });
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
