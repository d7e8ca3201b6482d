import { pathTo } from "@postern/shared/contracts";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import { grouped } from "../../mfa/totp-enrolment.ts";
import { totpEnrolmentPage } from "../../pages/templates/enrolment.ts";
import type { LoginDeps } from "../login/deps.ts";
import { lookOf, sendShown, type Visit } from "../visit.ts";
import { ways } from "./enrolled.ts";
import { here, type Member } from "./member.ts";

export const page = pathTo("totpRegistrationPage");

export async function show(
  deps: LoginDeps,
  visit: Visit,
  member: Member,
  shown: { state: FactorState; problem?: string },
) {
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
