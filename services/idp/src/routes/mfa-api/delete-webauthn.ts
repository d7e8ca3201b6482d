import type { LoginDeps } from "../login/deps.ts";
import { isDemanded } from "../mfa/demands.ts";
import { forSignedIn, sendOutcome, textIn } from "./signed-in.ts";

/** `DELETE /api/v1/mfa/webauthn/{credentialID}` */
export function deleteWebauthn(deps: LoginDeps) {
  return forSignedIn(deps, true, async ({ subject, state }, { params }, reply) => {
    if (await isDemanded(deps, subject.account, state, { passkeys: 1 })) {
      return reply.code(403).send({ error: "factor_required" });
    }
    const outcome = await deps.self.removePasskeys(subject, textIn(params, "credentialID"));
    return sendOutcome(reply, outcome, "WebAuthn credential deleted");
  });
}
