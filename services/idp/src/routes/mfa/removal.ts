import type { FactorState } from "../../mfa/factor-store-nats.ts";
import { type RemovalView, removalPage } from "../../pages/templates/removal.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown, sendTo } from "../visit.ts";
import { demandingApplications, isDemanded } from "./demands.ts";
import { forFresh, hasFactor, here } from "./member.ts";

/** What a removal removes. */
export interface Gone {
  readonly totp?: boolean;
  readonly passkeys?: number;
}

/** Number of recovery codes that are removed too, because no factor remains. */
export function codesGone(state: FactorState, gone: Gone): number {
  return isLastFactor(state, gone) ? state.recoveryCodesLeft : 0;
}

function isLastFactor(state: FactorState, { totp = false, passkeys = 0 }: Gone): boolean {
  const left = {
    ...state,
    hasTotp: state.hasTotp && !totp,
    webauthnCredentials: state.webauthnCredentials.slice(passkeys),
  };
  return hasFactor(state) && !hasFactor(left);
}

interface Removal extends Pick<RemovalView, "what" | "names" | "action" | "back"> {
  readonly gone: Gone;
}

/**
 * A page that confirms a removal; its form does what `DELETE` does. `asked` returns undefined if there is nothing to
 * remove.
 */
export function confirming(
  deps: LoginDeps,
  page: string,
  removalOf: (state: FactorState, id: string | undefined) => Removal | undefined,
): VisitHandler {
  return forFresh(deps, page, async (visit, { subject, csrfToken }, state) => {
    const found = removalOf(state, visit.param("id"));
    if (found === undefined) return sendTo(visit.reply, here(visit, page));
    const { gone, back, ...shown } = found;
    const isNeeded = await isDemanded(deps, subject.account, state, gone);
    const view = {
      ...shown,
      csrfToken,
      isLast: isLastFactor(state, gone),
      codes: codesGone(state, gone),
      needed: isNeeded ? { applications: await demandingApplications(deps, subject.account, state, gone) } : undefined,
      back: here(visit, back),
    };
    return sendShown(visit.reply, deps.pages.show(removalPage, view, lookOf(deps.pages, visit)));
  });
}
