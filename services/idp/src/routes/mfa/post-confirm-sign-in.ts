import { pathTo } from "@postern/shared/contracts";
import { isKnownDevice, isProven } from "../../mfa/suspicious-sign-ins.ts";
import { auditVisit } from "../audit-visit.ts";
import { deviceDigest } from "../device-digest.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendProblem, sendTo } from "../visit.ts";
import { forMember, hasFactor, here, whenFresh } from "./member.ts";

const page = pathTo("suspiciousSignInsPage");

/** The password proves nothing, because an attacker has it: a second factor does, or a browser that was signed in before. */
export function postConfirmSignIn(deps: LoginDeps): VisitHandler {
  const { pages, self, audit, suspiciousSignIns, nowMs } = deps;
  return forMember(deps, async (visit, member) => {
    const { session, subject } = member;
    const { account } = session;
    const id = visit.param("id") ?? "";
    const found = (await suspiciousSignIns.list(account)).find((one) => one.network === id);
    if (found === undefined) return sendTo(visit.reply, here(visit, page));
    const confirm = async () => {
      if (await suspiciousSignIns.confirm(account, id, deviceDigest(pages, visit))) {
        const method = isProven(session, nowMs()) ? "second_factor" : "known_device";
        auditVisit(audit, visit.request, {
          event: "risk.confirm",
          outcome: "ok",
          actor: account,
          target: account,
          method,
        });
        noteDone(pages, visit, "sign_in_confirmed");
      }
      return sendTo(visit.reply, here(visit, page));
    };
    if (isProven(session, nowMs()) || isKnownDevice(session, found, suspiciousSignIns.knownAfterMinutes())) {
      return confirm();
    }
    const state = await self.read(subject);
    if (!hasFactor(state)) return sendProblem(pages, visit, "request", { href: page });
    return whenFresh(deps, visit, { member, state, page }, confirm);
  });
}
