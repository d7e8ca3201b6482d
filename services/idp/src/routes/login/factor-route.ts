import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import { placeOf } from "../../flow/flow-paths.ts";
import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import { factorStates } from "../../flow/flow-table.ts";
import type { CallContext } from "../../login/password-check.ts";
import type { NoticeEvent } from "../../notices/notice.ts";
import type { TextKey } from "../../pages/catalogues/en.ts";
import type { Page } from "../../pages/look.ts";
import type { FactorView } from "../../pages/templates/factors.ts";
import { auditVisit } from "../audit-visit.ts";
import { noticeOrigin } from "../notice-origin.ts";
import type { VisitHandler } from "../page-routes.ts";
import {
  admit,
  callContext,
  formTargets,
  hrefIn,
  lookOf,
  sendProblem,
  sendShown,
  sendTo,
  type Visit,
} from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { provedAccount, refuseLatched } from "./latched.ts";
import { finishSignIn } from "./signed-in.ts";

/** One kind of code that a user types. */
export interface CodeFactor {
  readonly method: "totp" | "recovery";
  readonly page: Page<FactorView>;
  readonly failed: TextKey;
  /** What is told when a code was used. */
  readonly used?: NoticeEvent;
  /** @returns whether the code is right, and used up by that. @throws AppError when nobody could decide */
  readonly verify: (account: string, code: string, context: CallContext) => Promise<boolean>;
}

interface Standing {
  readonly flow: FlowRecord;
  readonly pending: PendingSignIn;
  readonly browserToken: string;
}

const maxCodeLength = 32;

/** The flow at this factor, or the answer that leads elsewhere. */
async function standing(deps: LoginDeps, visit: Visit, { method }: CodeFactor): Promise<Standing | undefined> {
  const passage = await admit(deps, visit, factorStates);
  if (passage === undefined) return undefined;
  const { flow, browserToken } = passage;
  const { pending } = flow;
  if (pending?.methods.includes(method) === true) return { flow, pending, browserToken };
  const place = placeOf(flow, visit.language?.tag);
  if (place === undefined) sendProblem(deps.pages, visit, "expired");
  else sendTo(visit.reply, place);
  return undefined;
}

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
    other: pending.methods.length > 1 ? hrefIn("/login/mfa", visit, flow) : undefined,
    restart: hrefIn("/login/restart", visit, flow),
  };
  return sendShown(visit.reply, pages.show(page, view, lookOf(pages, visit, flow), { formTargets: formTargets(flow) }));
}

export function getFactor(deps: LoginDeps, factor: CodeFactor): VisitHandler {
  return async (visit) => {
    const found = await standing(deps, visit, factor);
    return found === undefined ? visit.reply : showFactor(deps, visit, factor, found);
  };
}

type Judged = "ok" | "denied" | "throttled";

/** A right code ends an attempt whose password was wrong; it does not give more attempts. */
async function judge(
  deps: LoginDeps,
  visit: Visit,
  factor: CodeFactor,
  { flow, pending: { account } }: Standing,
): Promise<Judged> {
  const { guard, metrics, nowMs, decisionTimeoutMs } = deps;
  const code = visit.form.one("code")?.trim() ?? "";
  if (code === "" || code.length > maxCodeLength) return "denied";
  try {
    if (!(await guard.admit(account))) return "throttled";
    const context = callContext(visit, nowMs() + decisionTimeoutMs());
    if (!(await factor.verify(account, code, context))) return "denied";
    if (flow.state !== "latched") await guard.succeeded(account);
    return "ok";
  } catch (error) {
    metrics.signIn(factor.method, "undecided");
    throw error;
  }
}

/** A code is counted before it is judged, and says nothing about why it is wrong. */
export function postFactor(deps: LoginDeps, factor: CodeFactor): VisitHandler {
  const { method, failed } = factor;
  return async (visit) => {
    const found = await standing(deps, visit, factor);
    if (found === undefined) return visit.reply;
    const { flow, pending } = found;
    const judged = await judge(deps, visit, factor, found);
    if (judged === "ok" && factor.used !== undefined) {
      const origin = noticeOrigin(deps.pages, visit, pending.attributes, flow);
      const session = visit.request.caller?.session ?? visit.request.id;
      deps.notify({ event: factor.used, account: pending.account, session, origin });
    }
    if (judged === "ok" && flow.state === "latched") {
      deps.metrics.signIn(method, "denied");
      return refuseLatched(deps, visit, flow);
    }
    deps.metrics.signIn(method, judged);
    if (judged === "ok") return finishSignIn(deps, visit, { flow, pending, method });
    const who = { actor: provedAccount(flow), target: flow.client?.id };
    auditVisit(deps.audit, visit.request, { event: "user.login", outcome: "denied", ...who, reason: method });
    deps.logger.info(
      { session: visit.request.caller?.session, account: pending.account, method, judged },
      "code refused",
    );
    const { text } = lookOf(deps.pages, visit, flow);
    return showFactor(deps, visit, factor, {
      ...found,
      problem: text(judged === "throttled" ? "mfa.throttled" : failed),
    });
  };
}
