import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import type { FactorState } from "../../mfa/factor-store.ts";
import type { Outcome } from "../../mfa/self-service.ts";
import { grouped } from "../../mfa/totp-enrolment.ts";
import { totpEnrolmentPage } from "../../pages/templates/enrolment.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, noteDone, sendProblem, sendShown, sendTo, type Visit } from "../visit.ts";
import { isDemanded } from "./demands.ts";
import { noteShown, placeAfterFactor, ways } from "./enrolled.ts";
import { forFresh, here, homePath, type Member } from "./member.ts";
import { codesGone } from "./removal.ts";

const page = pathTo("totpRegistrationPage");

async function show(deps: LoginDeps, visit: Visit, member: Member, shown: { state: FactorState; problem?: string }) {
  const { secret, url } = await deps.self.totpSetup(member.subject);
  const { links, options } = await ways(deps, visit, member);
  const view = {
    action: here(visit, page),
    csrfToken: member.csrfToken,
    url,
    secret: grouped(secret),
    problem: shown.problem,
    remove: shown.state.hasTotp ? here(visit, pathTo("totpRemovalPage")) : undefined,
    ...links,
  };
  return sendShown(visit.reply, deps.pages.show(totpEnrolmentPage, view, lookOf(deps.pages, visit), options));
}

export function getTotp(deps: LoginDeps): VisitHandler {
  return forFresh(deps, page, (visit, member, state) => show(deps, visit, member, { state }));
}

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
    if (outcome === "refused") return sendProblem(deps.pages, visit, "failed", { href: homePath });
    if (outcome !== "done") return failed(deps, visit, member, { state, outcome });
    await noteShown(deps, member, "totp");
    noteDone(deps.pages, visit, "totp_added");
    return sendTo(visit.reply, await placeAfterFactor(deps, visit, member, { before: state, page: homePath }));
  });
}

export function deleteTotp(deps: LoginDeps): VisitHandler {
  return forFresh(deps, page, async (visit, { subject }, state) => {
    if (await isDemanded(deps, subject.account, state, { totp: true })) {
      return sendProblem(deps.pages, visit, "required", { href: homePath });
    }
    const outcome = await deps.self.removeTotp(subject);
    if (outcome !== "done") return sendProblem(deps.pages, visit, "failed", { href: homePath });
    noteDone(
      deps.pages,
      visit,
      "totp_removed",
      ...(codesGone(state, { totp: true }) > 0 ? ["codes_gone" as const] : []),
    );
    return sendTo(visit.reply, here(visit, homePath));
  });
}
