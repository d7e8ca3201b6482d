import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { EngineCall } from "../../login/engine-call.ts";
import type { NamedFactor } from "../../mfa/factor-proofs.ts";
import type { Page } from "../../pages/look.ts";
import type { FactorView } from "../../pages/templates/factors.ts";
import type { TextKey } from "../../pages/texts.ts";
import type { NotificationEvent } from "../../user-notifications/notification.ts";
import { cancelIn, formTargets, hrefIn, lookOf, referenceIn, sendShown, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import type { FlowAtFactor } from "./flow-at-factor.ts";

/** One kind of code that users type. */
export interface CodeFactor {
  readonly method: "totp" | "recovery";
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
  ) => Promise<NamedFactor | undefined>;
  /**
   * Takes as long as `verify` but does not use the code up: for an attempt that is rejected in any case. Absent if `verify`
   * uses up nothing that the owner would miss.
   */
  readonly pretend?: CodeFactor["verify"];
}

export function showFactor(
  { pages }: LoginDeps,
  visit: Visit,
  { page }: CodeFactor,
  { flow, pending, browserToken, problem }: FlowAtFactor & { readonly problem?: string },
): FastifyReply {
  const view: FactorView = {
    action: visit.language === undefined ? visit.path : `${visit.path}/${visit.language.tag}`,
    csrfToken: csrfToken(flow.id, browserToken),
    account: pending.shownAs ?? pending.account,
    problem,
    reference: problem === undefined ? undefined : referenceIn(visit),
    other: pending.methods.length > 1 ? hrefIn(pathTo("mfaPage"), visit, flow) : undefined,
    restart: hrefIn(pathTo("restartLogin"), visit, flow),
    cancel: cancelIn(visit, flow, browserToken),
  };
  return sendShown(visit.reply, pages.show(page, view, lookOf(pages, visit, flow), { formTargets: formTargets(flow) }));
}
