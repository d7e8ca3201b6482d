import { type AuthDecision, type AuthRequest, type Dialect, type Ok, programOf } from "@postern/shared/contracts";
import type { AppError } from "@postern/shared/platform/errors";
import { type ProcessLogger, printable } from "@postern/shared/platform/logging";
import { CredentialsError, type NamedIn } from "../dialects/request-error.ts";

/** How a `mode=list-accounts` request ended. */
interface ObservedListing {
  readonly outcome: "ok" | "tempfail";
  readonly error: AppError | undefined;
  readonly accounts: number;
  /** Number of names with control characters, which no list may contain. */
  readonly leftOut: number;
  readonly seconds: number;
}

/** A request that is answered with 400, or like a wrong password because no account can have the name. */
interface MalformedRequest {
  readonly session: string;
  readonly dialect: Dialect;
  readonly error: AppError;
  readonly clientIp: string;
  readonly caller: string | null;
}

/** How long the answer is delayed after the decision, and the name of the API caller; null if none has authenticated. */
type DecidedFacts = { readonly delayedMs: number; readonly caller: string | null };

const maxNameCharacters = 64;
/** Limit for user names in log lines, because a client may send as much as a request can hold. */
const maxDecidedNameCharacters = 256;
const maxProtocolCharacters = 32;

/** The user name and protocol, as far as the error has them. Both are untrusted and may contain anything. */
function namedFields({ username, protocol }: NamedIn): object {
  return {
    ...(username !== undefined && { username: printable(username, maxNameCharacters) }),
    ...(protocol !== undefined && { protocol: printable(protocol, maxProtocolCharacters) }),
  };
}

function shortened(username: string): string {
  return username.length > maxDecidedNameCharacters ? printable(username, maxDecidedNameCharacters) : username;
}

/** The subject of a token may be as long as its issuer likes. */
function namedCaller(caller: string | null): string | undefined {
  return caller === null ? undefined : shortened(caller);
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

function malformedFields({ session, dialect, error, clientIp, caller }: MalformedRequest): object {
  const named: NamedIn = error instanceof CredentialsError ? error.named : {};
  return {
    session,
    dialect,
    caller: namedCaller(caller),
    reason: error.publicMessage,
    client_ip: named.clientIp ?? clientIp,
    ...namedFields(named),
  };
}

function programIn(request: AuthRequest): string | undefined {
  const program = programOf(request);
  return program === "" ? undefined : printable(program, maxNameCharacters);
}

/** The score of a sign-in with a correct password. */
function riskOf(decision: AuthDecision): Ok["risk"] {
  return decision.outcome === "ok" || decision.outcome === "fail" ? decision.risk : undefined;
}

function listedFields(
  request: AuthRequest,
  { outcome, error, accounts, leftOut, seconds }: ObservedListing,
  caller: string | null,
): object {
  return {
    session: request.session,
    dialect: request.dialect,
    operation: request.operation,
    caller: namedCaller(caller),
    outcome,
    reason: error?.code,
    protocol: request.protocol,
    client_ip: request.clientIp,
    external_session: request.externalSessionId,
    accounts,
    left_out: leftOut,
    latency_ms: Math.round(seconds * 1e6) / 1e3,
  };
}

const decidedFields = [
  "session",
  "dialect",
  "operation",
  "caller",
  "outcome",
  "reason",
  "detail",
  "grace_logins_left",
  "password_expires_s",
  "account_passwords_seen",
  "total_passwords_seen",
  "risk_score",
  "risk_signals",
  "username",
  "domain",
  "protocol",
  "client_ip",
  "program",
  "external_session",
  "tls",
  "latency_ms",
  "held_ms",
] as const;

/** Writes one line for each request of the back channel. */
export function createDecisionLog({ logger, lineWriter }: Pick<ProcessLogger, "logger" | "lineWriter">) {
  const writeDecided = lineWriter({ fields: decidedFields, msg: "decided" });
  return {
    decided: (
      request: AuthRequest,
      decision: AuthDecision,
      seconds: number,
      { delayedMs, caller }: DecidedFacts,
    ): void => {
      const denial = decision.outcome === "fail" ? decision : undefined;
      const risk = riskOf(decision);
      const warning = decision.outcome === "ok" ? decision.passwordWarning : undefined;
      writeDecided([
        request.session,
        request.dialect,
        request.operation,
        namedCaller(caller),
        decision.outcome,
        reasonOf(decision),
        denial?.detail,
        warning?.graceLoginsLeft,
        warning?.expiresInSeconds,
        denial?.accountPasswordsSeen,
        denial?.totalPasswordsSeen,
        risk?.score,
        risk?.signals.join(" "),
        shortened(request.username),
        decision.domain,
        request.protocol,
        request.clientIp,
        programIn(request),
        request.externalSessionId,
        request.tls,
        Math.round(seconds * 1e6) / 1e3,
        delayedMs > 0 ? delayedMs : undefined,
      ]);
    },
    listed: (request: AuthRequest, listing: ObservedListing, caller: string | null): void => {
      const [level, message] =
        listing.leftOut > 0
          ? (["warn", "accounts listed, except names with control characters"] as const)
          : (["info", "listed"] as const);
      logger[level](listedFields(request, listing, caller), message);
    },
    malformed: (request: MalformedRequest): void => logger.info(malformedFields(request), "malformed request"),
    failed: (session: string, err: AppError): void => logger.error({ session, err }, "request failed"),
  };
}

export type DecisionLog = ReturnType<typeof createDecisionLog>;
