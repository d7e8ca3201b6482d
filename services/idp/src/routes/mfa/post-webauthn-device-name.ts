import { pathTo } from "@postern/shared/contracts";
import { cleanName } from "../../mfa/self-service.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendProblem, sendTo } from "../visit.ts";
import { forFresh } from "./member.ts";

const devices = pathTo("webauthnDevicesPage");

export function renamePasskey(deps: LoginDeps): VisitHandler {
  const { pages, self } = deps;
  return forFresh(deps, devices, async (visit, { subject }) => {
    const name = cleanName(visit.form.one("name") ?? "", "");
    if (name === "") return sendProblem(pages, visit, "request", { href: devices });
    const outcome = await self.renamePasskey(subject, visit.param("id") ?? "", name);
    if (outcome === "refused") return sendProblem(pages, visit, "failed", { href: devices });
    if (outcome === "done") noteDone(pages, visit, "passkey_renamed");
    return sendTo(visit.reply, devices);
  });
}
