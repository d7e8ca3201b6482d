import { pathTo } from "@postern/shared/contracts";
import { isFresh } from "../../mfa/freshness.ts";
import { auditVisit } from "../audit-visit.ts";
import { deviceDigest } from "../device-digest.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendProblem, sendTo } from "../visit.ts";
import { forMember, hasFactor, here, stepUp } from "./member.ts";

const page = pathTo("suspiciousSignInsPage");

/** The password proves nothing, because an attacker has it: a second factor or a session does that is older than the earliest unanswered sign-in. */
export function postConfirmSignIn(deps: LoginDeps): VisitHandler {
  const { pages, self, audit, suspiciousSignIns, proofs, nowMs } = deps;
  return forMember(deps, async (visit, member) => {
    const { session, subject } = member;
    const { account } = session;
    const id = visit.param("id") ?? "";
    const found = (await suspiciousSignIns.list(account)).find((one) => one.network === id);
    if (found === undefined) return sendTo(visit.reply, here(visit, page));
    const confirm = async (method: string) => {
      if (await suspiciousSignIns.confirm(account, id, deviceDigest(pages, visit))) {
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
    const proof = await proofs.ofSession(subject);
    if (proof !== undefined) return confirm(proof);
    // A factor that was verified recently and proves nothing is too new; another one may be older.
    const state = await self.read(subject);
    if (!hasFactor(state) || isFresh(session, true, Math.floor(nowMs() / 1000))) {
      return sendProblem(pages, visit, "doubted", { href: page });
    }
    return stepUp(deps, visit, member, here(visit, page));
  });
}
