import type { FastifyReply } from "fastify";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import type { Outcome } from "../../mfa/subject.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, noteDone, sendProblem, sendTo, type Visit } from "../visit.ts";
import { noteShown, placeAfterFactor } from "./enrolled.ts";
import { forFresh, homePath, type Member } from "./member.ts";
import { page, show } from "./show-totp.ts";

function failed(
  deps: LoginDeps,
  visit: Visit,
  member: Member,
  attempt: { state: FactorState; outcome: Outcome },
): Promise<FastifyReply> {
  const { text } = lookOf(deps.pages, visit);
  const problem = text(attempt.outcome === "throttled" ? "mfa.throttled" : "totp.failed");
  return show(deps, visit, member, { state: attempt.state, problem });
}

/** `POST /mfa/totp/register`: the code proves that the app has the secret. */
export function postTotp(deps: LoginDeps): VisitHandler {
  return forFresh(deps, page, async (visit, member, state) => {
    const outcome = await deps.self.confirmTotp(member.subject, visit.form.one("code")?.trim() ?? "");
    if (outcome === "doubted") return sendProblem(deps.pages, visit, "doubted", { href: homePath });
    if (outcome === "refused") return sendProblem(deps.pages, visit, "failed", { href: homePath });
    if (outcome !== "done") return failed(deps, visit, member, { state, outcome });
    await noteShown(deps, member, "totp");
    noteDone(deps.pages, visit, "totp_added");
    return sendTo(visit.reply, await placeAfterFactor(deps, visit, member, { before: state, page: homePath }));
  });
}
