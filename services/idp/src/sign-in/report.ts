import type { DecisionNote } from "@postern/shared/domain/history";
import { AppError } from "@postern/shared/platform/errors";
import type { FlowRecord, PasswordWarning } from "../flow/flow-record.ts";
import { protocolOfFlow } from "../flow/flow-table.ts";
import type { SignInResult, SignInStep } from "../metrics.ts";
import { auditVisit, referenceOf, requestSession, type Visit } from "../visit/visit.ts";
import type { SignInContext } from "./context.ts";
import { EngineUndecided } from "./password-check.ts";

/** The outcome of a sign-in or of one of its steps. */
export interface SignInReport {
  readonly step: SignInStep;
  readonly outcome: SignInResult;
  /** Why it failed. */
  readonly reason?: string | undefined;
  /** The brute-force rule of the ban. */
  readonly rule?: string | undefined;
  /** Set only if a backend has the account, because a name that was merely typed may be a password. */
  readonly account?: string | undefined;
  /** What the backend said about the password of this sign-in. */
  readonly passwordWarning?: PasswordWarning | undefined;
  /** An engine decided this step and has recorded it in the decision history. */
  readonly isRecorded?: boolean;
}

/** The actor; none if the password was wrong or not yet verified. */
function provedAccount({ state, pending }: FlowRecord): string | undefined {
  return state === "latched" ? undefined : pending?.account;
}

interface FailureOrigin {
  readonly session: string;
  readonly clientIp: string;
}

/** Stores the failure for lookups by reference; the log line is written in any case. */
function keepFailure(
  { logger, failedSignIns, nowMs }: SignInContext,
  place: FailureOrigin,
  flow: FlowRecord,
  report: SignInReport,
) {
  const { step, outcome, reason = outcome, rule, account } = report;
  const { session } = place;
  if (outcome === "ok") return;
  const reference = referenceOf(session);
  const what = { step, outcome, reason, rule, account, kind: flow.kind, client: flow.client?.id };
  failedSignIns.note({ reference, ...place, timeMs: nowMs(), ...what }).catch((err: unknown) => {
    logger.warn({ session, err }, "failed sign-in could not be stored for its reference");
  });
}

/** Engines record the decisions about passwords. */
function isForHistory({ step, outcome, isRecorded = false }: SignInReport): boolean {
  if (isRecorded) return false;
  return step !== "password" || outcome === "undecided" || outcome === "throttled";
}

/** Records second factors, passkeys, and what no engine decided, in the history, and reports them to operators who watch. */
function noteStep(deps: SignInContext, place: FailureOrigin, flow: FlowRecord, report: SignInReport): void {
  if (!isForHistory(report)) return;
  const { step, outcome, reason = outcome, rule = "", account } = report;
  const { history, watches, nowMs } = deps;
  const note: DecisionNote = {
    timeMs: nowMs(),
    outcome: outcome === "throttled" ? "denied" : outcome,
    channel: "browser",
    account,
    username: account ?? "",
    ...place,
    protocol: protocolOfFlow[flow.kind],
    reason: outcome === "ok" ? "" : reason,
    rule,
    step,
    client: flow.client?.id ?? "",
  };
  history?.note(note);
  if (watches.isWatched) watches.note(note);
}

/** Writes a log line, an audit record and the decision history; a failure is also stored under its reference. */
export function reportSignIn(
  deps: SignInContext,
  { request }: Pick<Visit, "request">,
  flow: FlowRecord,
  report: SignInReport,
): void {
  const { step, outcome, reason, rule, account, passwordWarning } = report;
  const session = requestSession(request);
  const clientIp = request.caller?.clientIp ?? "";
  const protocol = protocolOfFlow[flow.kind];
  const client = flow.client?.id;
  deps.logger.info(
    {
      session,
      dialect: "idp",
      step,
      outcome,
      reason,
      rule,
      account,
      protocol,
      client,
      client_ip: clientIp,
      grace_logins_left: passwordWarning?.graceLoginsLeft,
      password_expires_s: passwordWarning?.expiresInSeconds,
    },
    "sign-in decided",
  );
  const isOk = outcome === "ok";
  auditVisit(deps.audit, request, {
    event: "user.login",
    outcome: outcome === "ok" || outcome === "undecided" ? outcome : "denied",
    actor: isOk ? account : provedAccount(flow),
    account,
    target: client,
    method: step,
    reason: isOk ? step : reason,
    rule,
    protocol,
  });
  keepFailure(deps, { session, clientIp }, flow, report);
  noteStep(deps, { session, clientIp }, flow, report);
}

/** The cause of a temporary failure, in a word. */
function undecidedReason(error: unknown): string {
  if (error instanceof EngineUndecided) return error.engineCode;
  return error instanceof AppError ? error.code : "INTERNAL";
}

/**
 * Runs a step of a sign-in. If it throws, the temporary failure is counted, logged, recorded and stored for its reference
 * like any other failure, and is thrown again.
 */
export async function reportUndecided<Result>(
  deps: SignInContext,
  visit: Pick<Visit, "request">,
  { flow, step, account }: Pick<SignInReport, "step" | "account"> & { readonly flow: FlowRecord },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    deps.metrics.signIn(step, "undecided");
    const reason = undecidedReason(error);
    const isRecorded = error instanceof EngineUndecided;
    reportSignIn(deps, visit, flow, { step, outcome: "undecided", reason, account, isRecorded });
    throw error;
  }
}
