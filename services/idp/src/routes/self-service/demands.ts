import type { FactorMethod } from "../../flow/flow-record.ts";
import { methodNamed } from "../../login/factor-levels.ts";
import type { SignInDemands } from "../../login/sign-in-demands.ts";
import type { FactorState } from "../../mfa/factor-store.ts";
import type { LoginDeps } from "../login/deps.ts";

/** The account's factors if these were gone. */
function without(state: FactorState, gone: { readonly totp?: boolean; readonly passkeys?: number }) {
  const passkeys = state.webauthnCredentials.length - (gone.passkeys ?? 0);
  return { totp: state.hasTotp && gone.totp !== true, webauthn: passkeys > 0 };
}

/** Whether the factors that are left would do for the application. */
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

/** Whether an application that the user is connected with could not be used any more: its factor stays. */
export async function isDemanded(
  { demanders }: Pick<LoginDeps, "demanders">,
  account: string,
  state: FactorState,
  gone: { readonly totp?: boolean; readonly passkeys?: number },
): Promise<boolean> {
  const left = without(state, gone);
  const all = await Promise.all(demanders.map((demandsOf) => demandsOf(account)));
  return all.flat().some((demands) => suffices(demands, without(state, {})) && !suffices(demands, left));
}
