import type { AuthPolicyCommand, AuthPolicyLogin } from "@postern/shared/contracts";
import type { AppError } from "@postern/shared/platform/errors";
import { type ProcessLogger, printable } from "@postern/shared/platform/logging";

/**
 * Results of requests. `ignored`: a report that says nothing about the password. `exempt`, `banned`: by the engine's
 * settings, or because the network is banned.
 */
export const policyOutcomes = [
  "accepted",
  "delayed",
  "rejected",
  "recorded",
  "counted",
  "repeated",
  "exempt",
  "banned",
  "ignored",
  "done",
  "malformed",
  "failed",
] as const;
export type PolicyOutcome = (typeof policyOutcomes)[number];

/** What a request led to, for log and metrics. */
export interface PolicyResult {
  readonly outcome: PolicyOutcome;
  /** The reason of a refusal, a delay, or a report that is not counted. */
  readonly reason?: string | undefined;
  readonly rule?: string | undefined;
  readonly delaySeconds?: number | undefined;
  readonly domain?: string | undefined;
  readonly caller?: string | undefined;
}

const fields = [
  "session",
  "command",
  "caller",
  "outcome",
  "reason",
  "rule",
  "delay_s",
  "username",
  "domain",
  "protocol",
  "client_ip",
  "program",
  "external_session",
  "tls",
  "latency_ms",
] as const;
const maxName = 256;
const maxMember = 64;
/** Limit of member names that are remembered. */
const maxMembers = 32;

/** Writes one line for each allow and report. Never the password hash. */
export function createPolicyLog({ logger, lineWriter }: Pick<ProcessLogger, "logger" | "lineWriter">) {
  const write = lineWriter({ fields, msg: "auth policy" });
  const seen = new Set<string>();
  return {
    answered: (
      command: AuthPolicyCommand,
      login: AuthPolicyLogin,
      { outcome, reason, rule, delaySeconds, domain, caller }: PolicyResult,
      seconds: number,
    ): void =>
      write([
        login.session,
        command,
        caller === undefined ? undefined : printable(caller, maxName),
        outcome,
        reason,
        rule,
        delaySeconds,
        printable(login.username, maxName),
        domain,
        printable(login.protocol, maxMember),
        login.clientIpIsPeer === true ? undefined : login.clientIp,
        login.clientId === undefined ? undefined : printable(login.clientId, maxMember),
        login.externalSessionId === undefined ? undefined : printable(login.externalSessionId, maxName),
        login.tls,
        Math.round(seconds * 1e6) / 1e3,
      ]),
    malformed: (session: string, callerIp: string, error: AppError): void =>
      logger.info(
        { session, dialect: "auth_policy", reason: error.publicMessage, client_ip: callerIp },
        "malformed request",
      ),
    failed: (session: string, err: AppError): void =>
      logger[err.row.logLevel]({ session, dialect: "auth_policy", code: err.code, err }, "no decision"),
    /** Logs each member that has no effect once. */
    ignoredMembers: (names: readonly string[]): void => {
      for (const name of names) {
        if (seen.has(name) || seen.size >= maxMembers) continue;
        seen.add(name);
        logger.warn({ member: printable(name, maxMember) }, "auth-policy requests have a member that is ignored");
      }
    },
  };
}
