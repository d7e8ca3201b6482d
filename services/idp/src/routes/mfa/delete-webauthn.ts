import { pathTo } from "@postern/shared/contracts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendProblem, sendTo } from "../visit.ts";
import { isDemanded } from "./demands.ts";
import { forFresh } from "./member.ts";
import { codesGone } from "./removal.ts";

const devices = pathTo("webauthnDevicesPage");

/** `DELETE /mfa/webauthn` removes all passkeys, `DELETE /mfa/webauthn/device/:id` one. */
export function deletePasskeys(deps: LoginDeps): VisitHandler {
  const { pages, self, ceremonies } = deps;
  return forFresh(deps, devices, async (visit, { subject }, state) => {
    const id = visit.param("id");
    const gone = { passkeys: id === undefined ? state.webauthnCredentials.length : 1 };
    if (await isDemanded(deps, subject.account, state, gone)) {
      return sendProblem(pages, visit, "required", { href: devices });
    }
    const { account, webauthnCredentials: credentials } = state;
    await ceremonies.noteRemoved({ owner: subject.sessionUid, account, credentials });
    const outcome = await self.removePasskeys(subject, id);
    if (outcome === "doubted") return sendProblem(pages, visit, "doubted", { href: devices });
    if (outcome === "refused") return sendProblem(pages, visit, "failed", { href: devices });
    if (outcome === "done") {
      const codes = codesGone(state, gone) > 0 ? ["codes_gone" as const] : [];
      noteDone(pages, visit, id === undefined ? "passkeys_removed" : "passkey_removed", ...codes);
    }
    return sendTo(visit.reply, devices);
  });
}
