import type { LoginDeps } from "../login/deps.ts";
import { noteShown } from "../mfa/enrolled.ts";
import { forSignedIn, sendOutcome, textIn } from "./signed-in.ts";

/** `POST /api/v1/mfa/totp/register` */
export function postTotpRegister(deps: LoginDeps) {
  return forSignedIn(deps, true, async ({ session, subject }, { body }, reply) => {
    const outcome = await deps.self.confirmTotp(subject, textIn(body, "code"));
    if (outcome === "done") await noteShown(deps, { session, subject, csrfToken: "" }, "totp");
    return sendOutcome(reply, outcome, "TOTP registered");
  });
}
