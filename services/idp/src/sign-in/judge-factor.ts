import type { FastifyReply } from "fastify";
import { pageUrlOf } from "../flow/flow-paths.ts";
import type { FactorMethod, FlowRecord, PendingSignIn } from "../flow/flow-record.ts";
import { factorStates } from "../flow/flow-table.ts";
import type { SignInStep } from "../metrics.ts";
import type { FactorAttempt } from "../second-factors/factor-guard-redis.ts";
import type { NamedFactor } from "../second-factors/factor-proofs.ts";
import { type EnrolledFactors, neededFactors } from "../second-factors/needed-factors.ts";
import { flowWithAnyFactor } from "../second-factors/sign-in-demands.ts";
import type { Notification } from "../user-notifications/notification.ts";
import { type Admitted, forFlow } from "../visit/flow-visit.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import { auditVisit, notificationOrigin, referenceIn, requestSession, sendOn, type Visit } from "../visit/visit.ts";
import type { SignInContext } from "./context.ts";
import { reportSignIn } from "./report.ts";

/** The outcome of verifying a factor; `reason` is for logs and the audit stream. */
export type Judged<Factor extends NamedFactor = NamedFactor> =
  | { readonly judged: "ok"; readonly factor: Factor }
  | { readonly judged: "denied" | "throttled" | "locked"; readonly reason: string };

export interface Shown {
  readonly flow: FlowRecord;
  readonly pending: PendingSignIn;
  readonly method: FactorMethod;
  /** Reason to log if it is wrong. */
  readonly wrong: string;
}

function attemptOf({ flow, pending, method }: Shown): FactorAttempt {
  return {
    account: pending.account,
    method,
    flowId: flow.id,
    isProved: flow.state !== "latched",
    isHidden: flow.client?.delayedResponse === true,
  };
}

/** The user is notified at these fractions of the maximum number of consecutive wrong codes. */
const parts = 4;

function isThreshold(failures: number, maxFailures: number): boolean {
  return Array.from({ length: parts }, (_, index) => Math.ceil((maxFailures * (index + 1)) / parts)).includes(failures);
}

/** The password is known but not the code: notifies the owner before the factor is locked and when it is. */
function notifyOfFailures(deps: SignInContext, visit: Visit, shown: Shown, failures: number): void {
  const { flow, pending, method } = shown;
  const { maxFactorFailures: maxFailures } = deps;
  if (!isThreshold(failures, maxFailures)) return;
  const { account } = pending;
  const session = requestSession(visit.request);
  const isLocked = failures >= maxFailures;
  const notification: Notification = {
    event: isLocked ? "factor_locked" : "factor_guessed",
    factor: method,
    account,
    session,
    origin: notificationOrigin(deps.pages, visit, pending.attributes, flow),
  };
  deps.logger.warn(
    // oxlint-disable-next-line id-denylist -- a field of log lines, for which sites may search
    { session, account, method, failures, most: maxFailures },
    isLocked ? "factor locked" : "consecutive wrong codes",
  );
  if (isLocked) {
    auditVisit(deps.audit, visit.request, {
      event: "second_factor.lock",
      outcome: "ok",
      target: account,
      reason: method,
    });
  }
  deps.notify(notification);
}

/**
 * Counts the attempt, then verifies it. A correct factor after a wrong password ends the attempt without granting further
 * ones. For a discarded attempt, `verify` must not use up a code.
 */
export async function judgeFactor<Factor extends NamedFactor>(
  deps: SignInContext,
  visit: Visit,
  shown: Shown,
  verify: (isDiscarded: boolean) => Promise<Factor | undefined>,
): Promise<Judged<Factor>> {
  const { guard } = deps;
  const attempt = attemptOf(shown);
  const { admission, failures } = await guard.admit(attempt);
  if (admission === "throttled") return { judged: "throttled", reason: "too_many_attempts" };
  if (admission === "locked") return { judged: "locked", reason: "factor_locked" };
  const isDiscarded = admission === "discarded";
  const factor = await verify(isDiscarded).catch(async (error: unknown) => {
    await guard.undecided(attempt, admission).catch(() => undefined);
    throw error;
  });
  if (isDiscarded) {
    const isLocked = shown.method !== "webauthn" && failures >= deps.maxFactorFailures;
    return { judged: "denied", reason: isLocked ? "factor_locked" : "account_throttled" };
  }
  if (factor === undefined) {
    notifyOfFailures(deps, visit, shown, failures);
    return { judged: "denied", reason: shown.wrong };
  }
  if (attempt.isProved) await guard.succeeded(attempt);
  return { judged: "ok", factor };
}

/** A flow whose password step is complete, at one of its factors. */
export type FlowAtFactor = Admitted & { readonly pending: PendingSignIn };

function acrValuesOf({ params }: FlowRecord): readonly string[] {
  return (params?.acrValues ?? "").split(" ").filter((value) => value !== "");
}

/** What a sign-in needs of the account's factors, for the application and for the account's domain, and whether the domain requires one. */
export async function factorsOf(
  { domains }: Pick<SignInContext, "domains">,
  flow: FlowRecord,
  account: string,
  enrolled: EnrolledFactors,
) {
  const isRequired = await domains.requiresFactor(account);
  const demands = isRequired ? flowWithAnyFactor(flow.client) : flow.client;
  return { isRequired, needed: neededFactors(enrolled, demands, acrValuesOf(flow)) };
}

/** Whether a code from the help desk may complete this sign-in. The password may be someone else's if the sign-in is suspicious. */
export function acceptsLostPhoneCode({ lostPhone }: Pick<SignInContext, "lostPhone">, pending: PendingSignIn): boolean {
  return lostPhone !== undefined && pending.acceptsLostPhoneCode === true;
}

/** Handles the visits whose flow may be completed with this factor; others are redirected. */
export function forFactor(
  deps: SignInContext,
  isOffered: (pending: PendingSignIn) => boolean,
  handler: (visit: Visit, found: FlowAtFactor) => Promise<FastifyReply>,
): VisitHandler {
  return forFlow(deps, factorStates, async (visit, admitted) => {
    const { flow } = admitted;
    const { pending } = flow;
    return pending !== undefined && isOffered(pending)
      ? handler(visit, { ...admitted, pending })
      : sendOn(deps.pages, visit, pageUrlOf(flow, visit.language?.tag), flow);
  });
}

/** The factor was correct but the password was not: returns to the first page, which says that the sign-in failed. */
export async function placeAfterRefusal(
  deps: SignInContext,
  visit: Visit,
  flow: FlowRecord,
  step: SignInStep,
): Promise<string | undefined> {
  const account = flow.pending?.account;
  reportSignIn(deps, visit, flow, { step, outcome: "denied", reason: "wrong_password_before", account });
  const back = await deps.gate.restart(flow, { hasFailed: true, failedReference: referenceIn(visit) });
  return back === undefined ? undefined : pageUrlOf(back, visit.language?.tag);
}
