import type { LoginDeps } from "../login/deps.ts";
import { forSignedIn } from "./signed-in.ts";

/** `GET /api/v1/mfa/webauthn/register/begin` */
export function getWebauthnRegisterBegin(deps: LoginDeps) {
  return forSignedIn(deps, false, async ({ session, subject, state }, _request, reply) => {
    const publicKey = await deps.ceremonies.beginRegistration({
      owner: subject.sessionUid,
      account: state.account,
      displayName: session.displayName,
      credentials: state.webauthnCredentials,
    });
    return reply.send({ publicKey });
  });
}
