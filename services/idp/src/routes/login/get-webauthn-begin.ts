import { factorStates } from "../../flow/flow-table.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, callContext } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/**
 * `GET /login/webauthn/begin`: for the account whose password was correct, or for any passkey before a name is entered.
 */
export function beginWebauthn(deps: LoginDeps): VisitHandler {
  const { ceremonies, store, decisionTimeoutMs } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["login", ...factorStates]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const context = callContext(visit, decisionTimeoutMs());
    const state = flow.pending === undefined ? undefined : await store.read(flow.pending.account, context);
    const publicKey = await ceremonies.beginSignIn(flow.id, state?.webauthnCredentials);
    return visit.reply.header("cache-control", "no-store").send({ publicKey });
  };
}
