import { notificationOrigin } from "../notification-origin.ts";
import type { VisitHandler } from "../page-routes.ts";
import { callContext, lookOf, type Visit } from "../visit.ts";
import { type CodeFactor, showFactor } from "./code-factor.ts";
import type { LoginDeps } from "./deps.ts";
import { type FlowAtFactor, flowAtFactor } from "./flow-at-factor.ts";
import { type Judged, judgeFactor } from "./guarded.ts";
import { refuseAfterWrongPassword } from "./refuse-after-wrong-password.ts";
import { reportSignIn, reportUndecided } from "./report.ts";
import { finishSignIn } from "./signed-in.ts";

const maxCodeLength = 32;

async function judge(
  deps: LoginDeps,
  visit: Visit,
  factor: CodeFactor,
  { flow, pending }: FlowAtFactor,
): Promise<Judged> {
  const { decisionTimeoutMs } = deps;
  const { account } = pending;
  const code = visit.form.one("code")?.trim() ?? "";
  if (code === "" || code.length > maxCodeLength) return { judged: "denied", reason: "wrong_code" };
  const { method, verify, pretend = verify } = factor;
  return reportUndecided(deps, visit, { flow, step: method, account }, () => {
    const context = callContext(visit, decisionTimeoutMs());
    const shown = { flow, pending, method, wrong: "wrong_code" } as const;
    return judgeFactor(deps, visit, shown, (isDiscarded) =>
      (isDiscarded ? pretend : verify)(account, code, context, flow.id),
    );
  });
}

/** A code is counted before it is verified, and the page does not say why it is wrong. */
export function postFactor(deps: LoginDeps, factor: CodeFactor): VisitHandler {
  const { method, failed } = factor;
  return async (visit) => {
    const found = await flowAtFactor(deps, visit, factor.method);
    if (found === undefined) return visit.reply;
    const { flow, pending } = found;
    const outcome = await judge(deps, visit, factor, found);
    const { judged } = outcome;
    if (judged === "ok" && factor.used !== undefined) {
      const origin = notificationOrigin(deps.pages, visit, pending.attributes, flow);
      const session = visit.request.caller?.session ?? visit.request.id;
      deps.notify({ event: factor.used, account: pending.account, session, origin });
    }
    if (judged === "ok" && flow.state === "latched") {
      deps.metrics.signIn(method, "denied");
      return refuseAfterWrongPassword(deps, visit, flow, method);
    }
    if (outcome.judged === "ok") return finishSignIn(deps, visit, { flow, pending, method, factor: outcome.factor });
    const counted = outcome.judged === "locked" ? "throttled" : outcome.judged;
    deps.metrics.signIn(method, counted);
    const { reason } = outcome;
    reportSignIn(deps, visit, flow, { step: method, outcome: counted, reason, account: pending.account });
    const { text } = lookOf(deps.pages, visit, flow);
    const problems = { denied: failed, throttled: "mfa.throttled", locked: "mfa.locked" } as const;
    return showFactor(deps, visit, factor, { ...found, problem: text(problems[outcome.judged]) });
  };
}
