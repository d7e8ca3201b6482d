import { pathTo } from "@postern/shared/contracts";
import type { FactorMethod } from "../../flow/flow-record.ts";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import type { LoginDeps } from "../login/deps.ts";
import { sendCompletion } from "../login/signed-in.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendProblem, sendTo } from "../visit.ts";
import { waitingFlow } from "./enrolled.ts";
import { forMember, here, homePath } from "./member.ts";

const pages: Readonly<Record<FactorMethod, string>> = {
  totp: pathTo("totpRegistrationPage"),
  webauthn: pathTo("webauthnRegistrationPage"),
  recovery: pathTo("recoveryCodesPage"),
};

function hasMethod(state: FactorState | undefined, method: FactorMethod): boolean {
  if (state === undefined) return false;
  const { hasTotp, webauthnCredentials, recoveryCodesLeft } = state;
  return { totp: hasTotp, webauthn: webauthnCredentials.length > 0, recovery: recoveryCodesLeft > 0 }[method];
}

/** `GET /mfa/register/continue`: redirects to the next factor to set up, or continues the waiting sign-in. */
export function getContinue(deps: LoginDeps): VisitHandler {
  const { gate, self, completeSignIn } = deps;
  return forMember(deps, async (visit, member) => {
    const flow = await waitingFlow(deps, visit, member);
    if (flow === undefined) return sendTo(visit.reply, here(visit, homePath));
    const state = await self.read(member.subject);
    if (state === undefined) return sendProblem(deps.pages, visit, "unavailable");
    const next = (flow.pending?.missing ?? []).find((method) => !hasMethod(state, method));
    if (next !== undefined) return sendTo(visit.reply, here(visit, pages[next]));
    const moved = await gate.move(flow, "enrolled");
    if (moved === undefined) return sendProblem(deps.pages, visit, "expired", { flow });
    return sendCompletion(deps, visit, moved, await completeSignIn.resume(moved, member.session));
  });
}
