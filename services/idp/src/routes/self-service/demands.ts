import { factorLevels, methodNamed } from "../../login/factor-levels.ts";
import type { FactorState } from "../../mfa/factor-store.ts";
import type { LoginDeps } from "../login/deps.ts";

/** The account's factors if these were gone. */
function without(state: FactorState, gone: { readonly totp?: boolean; readonly passkeys?: number }) {
  const passkeys = state.webauthnCredentials.length - (gone.passkeys ?? 0);
  return { totp: state.hasTotp && gone.totp !== true, webauthn: passkeys > 0 };
}

/** Whether an application that the user is connected with could not be used any more: its factor stays. */
export async function isDemanded(
  { applications }: Pick<LoginDeps, "applications">,
  account: string,
  state: FactorState,
  gone: { readonly totp?: boolean; readonly passkeys?: number },
): Promise<boolean> {
  const left = without(state, gone);
  const level = Math.max(0, left.totp ? factorLevels.totp : 0, left.webauthn ? factorLevels.webauthn : 0);
  const connected = (await applications?.list(account)) ?? [];
  return connected.some((application) => {
    const methods = new Set(application.methods.map((name) => methodNamed(name)));
    return (
      application.level > level || (methods.has("totp") && !left.totp) || (methods.has("webauthn") && !left.webauthn)
    );
  });
}
