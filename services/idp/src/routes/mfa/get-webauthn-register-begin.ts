import { pathTo } from "@postern/shared/contracts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { forFresh } from "./member.ts";

const enrolment = pathTo("webauthnRegistrationPage");

export function beginPasskeyEnrolment(deps: LoginDeps): VisitHandler {
  return forFresh(deps, enrolment, async ({ reply }, { session, subject }, state) => {
    const publicKey = await deps.ceremonies.beginRegistration({
      owner: subject.sessionUid,
      account: state.account,
      displayName: session.displayName,
      credentials: state.webauthnCredentials,
    });
    return reply.header("cache-control", "no-store").send({ publicKey });
  });
}
