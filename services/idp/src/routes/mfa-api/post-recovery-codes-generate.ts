import type { LoginDeps } from "../login/deps.ts";
import { hasFactor } from "../mfa/member.ts";
import { forSignedIn, sendOutcome } from "./signed-in.ts";

/** `POST /api/v1/mfa/recovery-codes/generate` */
export function postRecoveryCodesGenerate(deps: LoginDeps) {
  return forSignedIn(deps, true, async ({ subject, state }, _request, reply) => {
    if (!hasFactor(state)) return reply.code(400).send({ error: "no_mfa_method" });
    const codes = await deps.self.makeCodes(subject);
    if (typeof codes === "string") return sendOutcome(reply, codes, "");
    return reply.send({ codes });
  });
}
