import type { LoginDeps } from "../login/deps.ts";
import { isDemanded } from "../mfa/demands.ts";
import { forSignedIn, sendOutcome } from "./signed-in.ts";

/** `DELETE /api/v1/mfa/totp` */
export function deleteTotp(deps: LoginDeps) {
  return forSignedIn(deps, true, async ({ subject, state }, _request, reply) => {
    if (await isDemanded(deps, subject.account, state, { totp: true })) {
      return reply.code(403).send({ error: "factor_required" });
    }
    return sendOutcome(reply, await deps.self.removeTotp(subject), "TOTP deleted");
  });
}
