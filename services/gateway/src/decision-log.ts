import type { AuthDecision, AuthRequest, Dialect } from "@postern/shared/contracts";
import type { AppError } from "@postern/shared/errors";
import { createLineWriter, type Logger } from "@postern/shared/logging";

/** How a `mode=list-accounts` ended. */
export interface ObservedListing {
  readonly outcome: "ok" | "tempfail";
  readonly error: AppError | undefined;
  readonly accounts: number;
  /** Names with control characters, which no list may hold. */
  readonly leftOut: number;
  readonly seconds: number;
}

/** One line for each request of the back channel (design §4). */
export interface DecisionLog {
  decided(request: AuthRequest, decision: AuthDecision, seconds: number): void;
  listed(request: AuthRequest, listing: ObservedListing): void;
  malformed(session: string, dialect: Dialect, error: AppError): void;
  failed(session: string, error: AppError): void;
}

function reasonOf(decision: AuthDecision): string | undefined {
  switch (decision.outcome) {
    case "ok":
      return undefined;
    case "fail":
      return decision.reason;
    case "blocked":
      return decision.rule;
    case "tempfail":
      return decision.code;
  }
}

const decidedFields = [
  "session",
  "dialect",
  "operation",
  "outcome",
  "reason",
  "detail",
  "account_passwords_seen",
  "total_passwords_seen",
  "username",
  "protocol",
  "client_ip",
  "external_session",
  "tls",
  "latency_ms",
] as const;

export function createDecisionLog(logger: Logger): DecisionLog {
  const writeDecided = createLineWriter(logger, { fields: decidedFields, msg: "decided" });
  return {
    decided: (request, decision, seconds) => {
      const denial = decision.outcome === "fail" ? decision : undefined;
      writeDecided([
        request.session,
        request.dialect,
        request.operation,
        decision.outcome,
        reasonOf(decision),
        denial?.detail,
        denial?.accountPasswordsSeen,
        denial?.totalPasswordsSeen,
        request.username,
        request.protocol,
        request.clientIp,
        request.externalSessionId,
        request.tls,
        Math.round(seconds * 1e6) / 1e3,
      ]);
    },
    listed: (request, { outcome, error, accounts, leftOut, seconds }) => {
      const level = leftOut > 0 ? "warn" : "info";
      logger[level](
        {
          session: request.session,
          dialect: request.dialect,
          operation: request.operation,
          outcome,
          reason: error?.code,
          protocol: request.protocol,
          client_ip: request.clientIp,
          external_session: request.externalSessionId,
          accounts,
          left_out: leftOut,
          latency_ms: Math.round(seconds * 1e6) / 1e3,
        },
        leftOut > 0 ? "listed, without names that have control characters" : "listed",
      );
    },
    malformed: (session, dialect, error) =>
      logger.info({ session, dialect, reason: error.publicMessage }, "malformed request"),
    failed: (session, err) => logger.error({ session, err }, "request failed"),
  };
}
