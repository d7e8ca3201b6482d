import { randomBytes } from "node:crypto";
import { pathTo, typedCode } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { csrfToken } from "../flow/browser-binding.ts";
import { factorPaths, localPath, pageUrlOf } from "../flow/flow-paths.ts";
import type { FactorMethod, PendingSignIn } from "../flow/flow-record.ts";
import type { Page } from "../pages/look.ts";
import { type FactorView, lostPhonePage, mfaPage, recoveryPage, totpPage } from "../pages/templates/factors.ts";
import type { TextKey } from "../pages/texts.ts";
import type { NamedFactor } from "../second-factors/factor-proofs.ts";
import { matchTotpAt } from "../second-factors/totp.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { NotificationEvent } from "../user-notifications/notification.ts";
import { cancelIn, formTargets, hrefIn } from "../visit/flow-visit.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import {
  callContext,
  type EngineCall,
  lookOf,
  notificationOrigin,
  referenceIn,
  requestSession,
  sendOn,
  sendTo,
  showPage,
  type Visit,
} from "../visit/visit.ts";
import type { FlowHandler, SignInContext } from "./context.ts";
import { finishSignIn } from "./finish-sign-in.ts";
import {
  acceptsLostPhoneCode,
  type FlowAtFactor,
  forFactor,
  type Judged,
  judgeFactor,
  placeAfterRefusal,
} from "./judge-factor.ts";
import { reportSignIn, reportUndecided } from "./report.ts";

/** `isRepeated`: the same code was verified before in the same sign-in. */
type CodeVerified = NamedFactor & { readonly isRepeated?: boolean };

/** One kind of code that users type. */
export interface CodeFactor {
  /** Under which wrong codes are counted. */
  readonly method: "totp" | "recovery";
  /** How it is reported. */
  readonly step: "totp" | "recovery" | "lost_phone";
  /** Whether a sign-in may be completed with it. */
  readonly isOffered: (pending: PendingSignIn) => boolean;
  readonly page: Page<FactorView>;
  readonly failed: TextKey;
  /** The notification about a used code. */
  readonly used?: NotificationEvent;
  /** @returns the factor if the code is correct, which also uses it up. @throws AppError on a temporary failure */
  readonly verify: (
    account: string,
    code: string,
    context: EngineCall,
    flowId: string,
  ) => Promise<CodeVerified | undefined>;
  /**
   * Takes as long as `verify` but does not use the code up: for an attempt that is rejected in any case. Absent if `verify`
   * uses up nothing that the owner would miss.
   */
  readonly pretend?: CodeFactor["verify"];
}

const wishesToRemember = ({ form }: Visit): boolean => form.one("remember_device") === "on";

/** Whether there is another way than this one. */
function hasOtherWay(deps: SignInContext, pending: PendingSignIn, step: CodeFactor["step"]): boolean {
  return pending.methods.length > 1 || step === "lost_phone" || acceptsLostPhoneCode(deps, pending);
}

function showFactor(
  deps: SignInContext,
  visit: Visit,
  { page, step }: CodeFactor,
  { flow, pending, browserToken, problem }: FlowAtFactor & { readonly problem?: string },
): FastifyReply {
  const { pages, deviceMemory } = deps;
  const view: FactorView = {
    action: localPath(visit.path, visit.language?.tag),
    csrfToken: csrfToken(flow.id, browserToken),
    account: pending.shownAs ?? pending.account,
    problem,
    reference: problem === undefined ? undefined : referenceIn(visit),
    offersToRemember: step === "totp" && deviceMemory.isOffered(flow),
    isToRemember: wishesToRemember(visit),
    other: hasOtherWay(deps, pending, step) ? hrefIn(pathTo("mfaPage"), visit, flow) : undefined,
    restart: hrefIn(pathTo("restartLogin"), visit, flow),
    cancel: cancelIn(visit, flow, browserToken),
  };
  return showPage(pages, visit, { page, view, flow, formTargets: formTargets(flow) });
}

/** A time step is accepted once, on any replica (RFC 6238 §5.2). */
export function totpFactor({ store, guard, totpTimesMs, totpSkew: skew }: SignInContext): CodeFactor {
  return {
    method: "totp",
    step: "totp",
    isOffered: ({ methods }) => methods.includes("totp"),
    page: totpPage,
    failed: "totp.failed",
    verify: async (account, code, context, flowId) => {
      const stored = await store.totpSecret(account, context);
      if (stored === undefined) return undefined;
      const step = matchStored(totpTimesMs(), { stored, code, skew });
      const isRight = step !== undefined && (await guard.claimTotpStep({ account, stored, step, flowId }));
      return isRight ? { kind: "totp", part: stored } : undefined;
    },
  };
}

function matchStored(...args: Parameters<typeof matchTotpAt>): number | undefined {
  try {
    return matchTotpAt(...args);
  } catch (cause) {
    throw new AppError("DIRECTORY_DATA", { detail: "invalid stored TOTP secret", cause });
  }
}

/**
 * No account has this code, and checking it costs as much; a code without letters or digits is rejected without a
 * derivation.
 */
function unusable(code: string): string {
  return typedCode(code) !== "" ? randomBytes(64).toString("hex") : code;
}

export function recoveryFactor({
  store,
  guard,
}: {
  readonly store: Pick<SignInContext["store"], "redeemRecoveryCode">;
  readonly guard: Pick<SignInContext["guard"], "redeemOnce">;
}): CodeFactor {
  const redeem: CodeFactor["verify"] = async (account, code, context, flowId) => {
    // A browser that sends the form twice leaves the first response; the engine has used the code up by then.
    const call = { ...context, signal: new AbortController().signal };
    const outcome = await guard.redeemOnce({ account, code, flowId, deadline: context.deadline }, () =>
      store.redeemRecoveryCode(account, code, call),
    );
    return outcome === "wrong" ? undefined : { kind: "recovery", part: "", isRepeated: outcome === "repeated" };
  };
  return {
    method: "recovery",
    step: "recovery",
    isOffered: ({ methods }) => methods.includes("recovery"),
    page: recoveryPage,
    failed: "recovery.failed",
    used: "recovery_code_used",
    verify: redeem,
    pretend: (account, code, ...rest) => redeem(account, unusable(code), ...rest),
  };
}

/**
 * A code that an operator has created for a user who lost the second factor. Wrong codes are counted with those of recovery codes. What it
 * completes is no proof of the user: see `lostPhoneTs`.
 */
export function lostPhoneFactor(deps: Pick<SignInContext, "lostPhone" | "suspiciousSignIns" | "audit">): CodeFactor {
  const { lostPhone, suspiciousSignIns, audit } = deps;
  return {
    method: "recovery",
    step: "lost_phone",
    page: lostPhonePage,
    failed: "lost_phone.failed",
    used: "lost_phone_code_used",
    isOffered: (pending) => acceptsLostPhoneCode(deps, pending),
    verify: async (account, code, { session, clientIp }, flowId) => {
      // A suspicious sign-in since the code was created: its user may not be the owner.
      if (lostPhone === undefined || (await suspiciousSignIns.isDoubted(account))) return undefined;
      const outcome = await lostPhone.redeem(account, code, flowId);
      if (outcome === "wrong") return undefined;
      const isRepeated = outcome === "repeated";
      const about = { actor: account, target: account, clientIp, session };
      if (!isRepeated) audit.record({ event: "lost_phone.use", outcome: "ok", ...about });
      return { kind: "recovery", part: "", isRepeated };
    },
    pretend: async () => undefined,
  };
}

/** `GET /login/mfa`: lists the available factors; redirects if there is only one. */
export const getMfa: FlowHandler = async (deps, visit, { flow, browserToken }) => {
  const { pages } = deps;
  const methods: readonly FactorMethod[] = flow.pending?.methods ?? [];
  const place = pageUrlOf(flow, visit.language?.tag);
  const offersCode = flow.pending !== undefined && acceptsLostPhoneCode(deps, flow.pending);
  if (methods.length === 1 && !offersCode && place !== undefined) return sendTo(visit.reply, place);
  const last = pages.cookies.read(visit.request.headers.cookie, cookieNames.method);
  const view = {
    choices: [
      ...methods.map((method) => ({ method, href: hrefIn(factorPaths[method], visit, flow) })),
      ...(offersCode ? [{ method: "lost_phone" as const, href: hrefIn(pathTo("lostPhonePage"), visit, flow) }] : []),
    ],
    lastUsed: methods.find((method) => method === last),
    restart: hrefIn(pathTo("restartLogin"), visit, flow),
    cancel: cancelIn(visit, flow, browserToken),
  };
  return showPage(pages, visit, { page: mfaPage, view, flow, formTargets: formTargets(flow) });
};

export function getFactor(deps: SignInContext, factor: CodeFactor): VisitHandler {
  return forFactor(deps, factor.isOffered, async (visit, found) => showFactor(deps, visit, factor, found));
}

const maxCodeLength = 32;

async function judge(
  deps: SignInContext,
  visit: Visit,
  factor: CodeFactor,
  { flow, pending }: FlowAtFactor,
): Promise<Judged<CodeVerified>> {
  const { decisionTimeoutMs } = deps;
  const { account } = pending;
  const code = visit.form.one("code")?.trim() ?? "";
  if (code === "" || code.length > maxCodeLength) return { judged: "denied", reason: "wrong_code" };
  const { method, step, verify, pretend = verify } = factor;
  return reportUndecided(deps, visit, { flow, step, account }, () => {
    const context = callContext(visit, decisionTimeoutMs());
    const shown = { flow, pending, method, wrong: "wrong_code" } as const;
    return judgeFactor(deps, visit, shown, (isDiscarded) =>
      (isDiscarded ? pretend : verify)(account, code, context, flow.id),
    );
  });
}

/** A code is counted before it is verified, and the page does not say why it is wrong. */
export function postFactor(deps: SignInContext, factor: CodeFactor): VisitHandler {
  const { step, failed } = factor;
  return forFactor(deps, factor.isOffered, async (visit, found) => {
    const { flow, pending } = found;
    const outcome = await judge(deps, visit, factor, found);
    const { judged } = outcome;
    if (outcome.judged === "ok" && factor.used !== undefined && outcome.factor.isRepeated !== true) {
      const origin = notificationOrigin(deps.pages, visit, pending.attributes, flow);
      const session = requestSession(visit.request);
      // Someone who convinced the help desk may read one of the addresses, too.
      const isDoubted = step === "lost_phone";
      deps.notify({ event: factor.used, account: pending.account, session, origin, isDoubted });
    }
    if (judged === "ok" && flow.state === "latched") {
      deps.metrics.signIn(step, "denied");
      return sendOn(deps.pages, visit, await placeAfterRefusal(deps, visit, flow, step), flow);
    }
    if (outcome.judged === "ok") {
      // What the help desk vouches for is no factor of the account.
      const proved = step === "lost_phone" ? undefined : outcome.factor;
      const isToRemember = step === "totp" && wishesToRemember(visit);
      return finishSignIn(deps, visit, { flow, pending, method: step, factor: proved, isToRemember });
    }
    const counted = outcome.judged === "locked" ? "throttled" : outcome.judged;
    deps.metrics.signIn(step, counted);
    const { reason } = outcome;
    reportSignIn(deps, visit, flow, { step, outcome: counted, reason, account: pending.account });
    const { text } = lookOf(deps.pages, visit, flow);
    const problems = { denied: failed, throttled: "mfa.throttled", locked: "mfa.locked" } as const;
    return showFactor(deps, visit, factor, { ...found, problem: text(problems[outcome.judged]) });
  });
}
