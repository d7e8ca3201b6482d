import type { VisitHandler } from "../page-routes.ts";
import { admit } from "../visit.ts";
import { type DeviceDeps, showCode } from "./show-device-code.ts";

/** `GET /oidc/device/verify`: the form for the code, which the device's link may contain. */
export function getVerify(deps: DeviceDeps): VisitHandler {
  return async (visit) => {
    const userCode = (visit.query("user_code") ?? "").slice(0, 32);
    const { request, reply, language } = visit;
    if (visit.query("flow") === undefined) {
      const begun = await deps.starts.startDevice(request.raw, reply.raw, language?.tag);
      return showCode(deps, visit, { ...begun, userCode });
    }
    const passage = await admit(deps, visit, ["code"]);
    if (passage === undefined) return reply;
    return showCode(deps, visit, { id: passage.flow.id, browserToken: passage.browserToken, userCode });
  };
}
