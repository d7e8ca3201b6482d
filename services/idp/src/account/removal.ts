import type { FactorMethod } from "../flow/flow-record.ts";
import { type RemovalView, removalPage } from "../pages/templates/removal.ts";
import { methodNamed } from "../second-factors/factor-levels.ts";
import type { FactorState } from "../second-factors/factor-store-nats.ts";
import type { SignInDemands } from "../second-factors/sign-in-demands.ts";
import { sendTo, showPage } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { type FreshHandler, hasFactor, here } from "./member.ts";

/** What a removal removes. */
export interface Gone {
  readonly totp?: boolean;
  readonly passkeys?: number;
}

/** The factors that remain without these. */
function without(state: FactorState, { totp = false, passkeys = 0 }: Gone) {
  return { totp: state.hasTotp && !totp, webauthn: state.webauthnCredentials.length - passkeys > 0 };
}

/** Whether the remaining factors meet the demands of the application. */
function suffices({ methods, supported, level, levels }: SignInDemands, left: ReturnType<typeof without>): boolean {
  const held = (["totp", "webauthn"] as const).filter((method) => left[method]);
  const takes = (method: FactorMethod): boolean =>
    supported.length === 0 || supported.some((name) => methodNamed(name) === method);
  const isReached = level === 0 || held.some((method) => takes(method) && levels[method] >= level);
  const demanded = methods
    .map((name) => methodNamed(name))
    .filter((method) => method === "totp" || method === "webauthn");
  return isReached && demanded.every((method) => left[method]);
}

/** Whether the application is usable now and would not be afterwards. */
function breaks(demands: SignInDemands, state: FactorState, gone: Gone): boolean {
  return suffices(demands, without(state, {})) && !suffices(demands, without(state, gone));
}

/** The names of the applications that would break, as far as their protocol knows them. */
async function demandingApplications(
  { applications, mailSignIns, domains, siteName }: AccountContext,
  account: string,
  state: FactorState,
  gone: Gone,
): Promise<readonly string[]> {
  const connected = (await applications?.list(account)) ?? [];
  const ofClients = connected.filter(({ demands }) => breaks(demands, state, gone)).map(({ name }) => name);
  const names = (await domains.requiresFactor(account)) ? [siteName, ...ofClients] : ofClients;
  if (mailSignIns === undefined || !breaks(mailSignIns.demands(), state, gone)) return names;
  const ofMail = (await mailSignIns.list(account)).map(({ name }) => name);
  return [...new Set([...names, ...ofMail])];
}

/** Whether a connected application would become unusable, in which case the factor cannot be removed. */
export async function isDemanded(
  { demanders }: Pick<AccountContext, "demanders">,
  account: string,
  state: FactorState,
  gone: Gone,
): Promise<boolean> {
  const all = await Promise.all(demanders.map((demandsOf) => demandsOf(account)));
  return all.flat().some((demands) => breaks(demands, state, gone));
}

function isLastFactor(state: FactorState, gone: Gone): boolean {
  const left = without(state, gone);
  return hasFactor(state) && !left.totp && !left.webauthn;
}

/** Number of recovery codes that are removed too, because no factor remains. */
function codesGone(state: FactorState, gone: Gone): number {
  return isLastFactor(state, gone) ? state.recoveryCodesLeft : 0;
}

/** The message that recovery codes are gone too, if they are. */
export function codesGoneNote(state: FactorState, gone: Gone): readonly "codes_gone"[] {
  return codesGone(state, gone) > 0 ? ["codes_gone"] : [];
}

interface Removal extends Pick<RemovalView, "what" | "names" | "action"> {
  readonly gone: Gone;
}

/**
 * A page that confirms a removal and leads back to `page`; its form does what `DELETE` does. `removalOf` returns
 * undefined if there is nothing to remove.
 */
export function confirming(
  page: string,
  removalOf: (state: FactorState, id: string | undefined) => Removal | undefined,
): FreshHandler {
  return async (context, visit, { owner, csrfToken }, state) => {
    const found = removalOf(state, visit.param("id"));
    if (found === undefined) return sendTo(visit.reply, here(visit, page));
    const { gone, ...shown } = found;
    const { account } = owner;
    const isNeeded = await isDemanded(context, account, state, gone);
    const view = {
      ...shown,
      csrfToken,
      isLast: isLastFactor(state, gone),
      codes: codesGone(state, gone),
      needed: isNeeded ? { applications: await demandingApplications(context, account, state, gone) } : undefined,
      back: here(visit, page),
    };
    return showPage(context.pages, visit, { page: removalPage, view });
  };
}
