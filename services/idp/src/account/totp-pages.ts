import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { totpEnrolmentPage } from "../pages/templates/enrolment.ts";
import type { FactorState } from "../second-factors/factor-store-nats.ts";
import { grouped } from "../second-factors/totp.ts";
import { lookOf, noteDone, sendProblem, sendTo, showPage, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { noteShown, placeAfterFactor, ways } from "./enrolment.ts";
import { type FreshHandler, here, homePath, type Member, sendRefusal } from "./member.ts";
import { codesGoneNote, confirming, isDemanded } from "./removal.ts";

const path = pathTo("totpRegistrationPage");

async function showTotp(
  context: AccountContext,
  visit: Visit,
  member: Member,
  { state, problem }: { readonly state: FactorState; readonly problem?: string },
): Promise<FastifyReply> {
  const { secret, url } = await context.self.totpSetup(member.owner);
  const { links, options } = await ways(context, visit, member);
  const view = {
    action: here(visit, path),
    csrfToken: member.csrfToken,
    url,
    secret: grouped(secret),
    problem,
    remove: state.hasTotp ? here(visit, pathTo("totpRemovalPage")) : undefined,
    ...links,
  };
  return showPage(context.pages, visit, { page: totpEnrolmentPage, view, ...options });
}

/** `GET /mfa/totp/register` */
export const getTotp: FreshHandler = (context, visit, member, state) => showTotp(context, visit, member, { state });

/** `POST /mfa/totp/register`: the code proves that the app has the secret. */
export const postTotp: FreshHandler = async (context, visit, member, state) => {
  const { pages, self } = context;
  const outcome = await self.confirmTotp(member.owner, visit.form.one("code")?.trim() ?? "");
  const refusal = sendRefusal(context, visit, outcome);
  if (refusal !== undefined) return refusal;
  if (outcome !== "done") {
    const problem = lookOf(pages, visit).text(outcome === "throttled" ? "mfa.throttled" : "totp.failed");
    return showTotp(context, visit, member, { state, problem });
  }
  await noteShown(context, member, "totp");
  noteDone(pages, visit, "totp_added");
  return sendTo(visit.reply, await placeAfterFactor(context, visit, member, { before: state, page: homePath }));
};

/** `GET /mfa/totp/remove` */
export const getTotpRemoval = confirming(path, ({ hasTotp }) =>
  hasTotp ? { what: "totp", names: [], action: pathTo("deleteTotp"), gone: { totp: true } } : undefined,
);

/** `DELETE /mfa/totp` */
export const removeTotp: FreshHandler = async (context, visit, { owner }, state) => {
  const { pages, self } = context;
  const gone = { totp: true };
  if (await isDemanded(context, owner.account, state, gone)) {
    return sendProblem(pages, visit, "required", { href: homePath });
  }
  const refusal = sendRefusal(context, visit, await self.removeTotp(owner));
  if (refusal !== undefined) return refusal;
  noteDone(pages, visit, "totp_removed", ...codesGoneNote(state, gone));
  return sendTo(visit.reply, here(visit, homePath));
};
