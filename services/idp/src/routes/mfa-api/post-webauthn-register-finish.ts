import { cleanName } from "../../mfa/self-service.ts";
import { readRegistration } from "../../mfa/webauthn/browser-answer.ts";
import type { LoginDeps } from "../login/deps.ts";
import { noteShown } from "../mfa/enrolled.ts";
import { forSignedIn, sendOutcome, textIn } from "./signed-in.ts";

/** `POST /api/v1/mfa/webauthn/register/finish` */
export function postWebauthnRegisterFinish(deps: LoginDeps) {
  return forSignedIn(deps, true, async ({ session, subject, state }, { body }, reply) => {
    const response = readRegistration(body);
    if (response === undefined) return reply.code(400).send({ error: "invalid_request" });
    const name = cleanName(textIn(body, "name"), `Passkey ${state.webauthnCredentials.length + 1}`);
    const outcome = await deps.self.addPasskey(subject, response, name);
    if (outcome === "done") await noteShown(deps, { session, subject, csrfToken: "" }, "webauthn");
    return sendOutcome(reply, outcome, "WebAuthn credential registered");
  });
}
