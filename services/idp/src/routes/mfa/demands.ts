import type { FactorMethod } from "../../flow/flow-record.ts";
import { methodNamed } from "../../login/factor-levels.ts";
import type { SignInDemands } from "../../login/sign-in-demands.ts";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import type { LoginDeps } from "../login/deps.ts";

/** The account's factors without these. */
function without(state: FactorState, gone: { readonly totp?: boolean; readonly passkeys?: number }) {
  const passkeys = state.webauthnCredentials.length - (gone.passkeys ?? 0);
  return { totp: state.hasTotp && gone.totp !== true, webauthn: passkeys > 0 };
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
function breaks(demands: SignInDemands, state: FactorState, gone: Parameters<typeof without>[1]): boolean {
  return suffices(demands, without(state, {})) && !suffices(demands, without(state, gone));
}

/** The names of the applications that would break, as far as their protocol knows them. */
export async function demandingApplications(
  { applications, mailSignIns }: Pick<LoginDeps, "applications" | "mailSignIns">,
  account: string,
  state: FactorState,
  gone: Parameters<typeof without>[1],
): Promise<readonly string[]> {
  const connected = (await applications?.list(account)) ?? [];
  const names = connected.filter(({ demands }) => breaks(demands, state, gone)).map(({ name }) => name);
  if (mailSignIns === undefined || !breaks(mailSignIns.demands(), state, gone)) return names;
  const ofMail = (await mailSignIns.list(account)).map(({ name }) => name);
  return [...new Set([...names, ...ofMail])];
}

/** Whether a connected application would become unusable, in which case the factor cannot be removed. */
export async function isDemanded(
  { demanders }: Pick<LoginDeps, "demanders">,
  account: string,
  state: FactorState,
  gone: { readonly totp?: boolean; readonly passkeys?: number },
): Promise<boolean> {
  const all = await Promise.all(demanders.map((demandsOf) => demandsOf(account)));
  return all.flat().some((demands) => breaks(demands, state, gone));
}
