import type { LoginDeps } from "../login/deps.ts";
import { forSignedIn } from "./signed-in.ts";

/** `GET /api/v1/mfa/totp/setup` */
export function getTotpSetup(deps: LoginDeps) {
  return forSignedIn(deps, false, async ({ subject }, _request, reply) => {
    const { secret, url } = await deps.self.totpSetup(subject);
    return reply.send({ secret, qr_code_url: url });
  });
}
