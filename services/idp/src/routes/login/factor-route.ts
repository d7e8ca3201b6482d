import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { CallContext } from "../../login/password-check.ts";
import type { TextKey } from "../../pages/catalogues/en.ts";
import type { Page } from "../../pages/look.ts";
import type { FactorView } from "../../pages/templates/factors.ts";
import type { NotificationEvent } from "../../user-notifications/notification.ts";
import { notificationOrigin } from "../notification-origin.ts";
import type { VisitHandler } from "../page-routes.ts";
import { callContext, formTargets, hrefIn, lookOf, referenceIn, sendShown, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { type Judged, judgeFactor } from "./guarded.ts";
import { refuseLatched } from "./latched.ts";
import { reportSignIn, reportUndecided } from "./report.ts";
import { finishSignIn } from "./signed-in.ts";
import { type Standing, standingAt } from "./standing.ts";

/** One kind of code that users type. */
export interface CodeFactor {
  readonly method: "totp" | "recovery";
  readonly page: Page<FactorView>;
  readonly failed: TextKey;
  /** The notification about a used code. */
  readonly used?: NotificationEvent;
  /** @returns whether the code is correct, which also uses it up. @throws AppError on a temporary failure */
  readonly verify: (account: string, code: string, context: CallContext) => Promise<boolean>;
  /**
   * Takes as long as `verify` but does not use the code up: for an attempt that is rejected in any case. Absent if `verify`
   * uses up nothing that the owner would miss.
   */
  readonly pretend?: CodeFactor["verify"];
}

const maxCodeLength = 32;

function showFactor(
  { pages }: LoginDeps,
  visit: Visit,
  { page }: CodeFactor,
  { flow, pending, browserToken, problem }: Standing & { readonly problem?: string },
): FastifyReply {
  const view: FactorView = {
    action: visit.language === undefined ? visit.path : `${visit.path}/${visit.language.tag}`,
    csrfToken: csrfToken(flow.id, browserToken),
    account: pending.shownAs ?? pending.account,
    problem,
    reference: problem === undefined ? undefined : referenceIn(visit),
    other: pending.methods.length > 1 ? hrefIn(pathTo("mfaPage"), visit, flow) : undefined,
    restart: hrefIn(pathTo("restartLogin"), visit, flow),
  };
  return sendShown(visit.reply, pages.show(page, view, lookOf(pages, visit, flow), { formTargets: formTargets(flow) }));
}

export function getFactor(deps: LoginDeps, factor: CodeFactor): VisitHandler {
  return async (visit) => {
    const found = await standingAt(deps, visit, factor.method);
    return found === undefined ? visit.reply : showFactor(deps, visit, factor, found);
  };
}

async function judge(deps: LoginDeps, visit: Visit, factor: CodeFactor, { flow, pending }: Standing): Promise<Judged> {
  const { nowMs, decisionTimeoutMs } = deps;
  const { account } = pending;
  const code = visit.form.one("code")?.trim() ?? "";
  if (code === "" || code.length > maxCodeLength) return { judged: "denied", reason: "wrong_code" };
  const { method, verify, pretend = verify } = factor;
  return reportUndecided(deps, visit, { flow, step: method, account }, () => {
    const context = callContext(visit, nowMs() + decisionTimeoutMs());
    const shown = { flow, pending, method, wrong: "wrong_code" } as const;
    return judgeFactor(deps, visit, shown, (isDiscarded) => (isDiscarded ? pretend : verify)(account, code, context));
  });
}

/** A code is counted before it is verified, and the page does not say why it is wrong. */
export function postFactor(deps: LoginDeps, factor: CodeFactor): VisitHandler {
  const { method, failed } = factor;
  return async (visit) => {
    const found = await standingAt(deps, visit, factor.method);
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
      return refuseLatched(deps, visit, flow, method);
    }
    if (outcome.judged === "ok") return finishSignIn(deps, visit, { flow, pending, method });
    const counted = outcome.judged === "locked" ? "throttled" : outcome.judged;
    deps.metrics.signIn(method, counted);
    const { reason } = outcome;
    reportSignIn(deps, visit, flow, { step: method, outcome: counted, reason, account: pending.account });
    const { text } = lookOf(deps.pages, visit, flow);
    const problems = { denied: failed, throttled: "mfa.throttled", locked: "mfa.locked" } as const;
    return showFactor(deps, visit, factor, { ...found, problem: text(problems[outcome.judged]) });
  };
}
