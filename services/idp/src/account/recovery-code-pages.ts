import { pathTo } from "@postern/shared/contracts";
import { recoveryCodesPage, recoveryEnrolmentPage } from "../pages/templates/enrolment.ts";
import { noteDone, sendTo, showPage } from "../visit/visit.ts";
import { nextPlace, ways } from "./enrolment.ts";
import { type FreshHandler, hasFactor, here, sendRefusal } from "./member.ts";

const path = pathTo("recoveryCodesPage");

/** `GET /mfa/recovery/register` */
export const getRecoveryCodes: FreshHandler = async (context, visit, member, state) => {
  const { links, options } = await ways(context, visit, member);
  const view = {
    action: here(visit, pathTo("draftRecoveryCodes")),
    csrfToken: member.csrfToken,
    left: state.recoveryCodesLeft,
    canMake: hasFactor(state),
    remake: state.recoveryCodesLeft > 0,
    ...links,
  };
  return showPage(context.pages, visit, { page: recoveryEnrolmentPage, view, ...options });
};

/** `POST /mfa/recovery/generate`: shows new codes once; the old ones work until the new ones are saved. */
export const draftRecoveryCodes: FreshHandler = async (context, visit, member, state) => {
  if (!hasFactor(state)) return sendTo(visit.reply, here(visit, path));
  const { codes, set } = await context.self.draftCodes(member.owner);
  const { links, options } = await ways(context, visit, member);
  const view = {
    action: here(visit, pathTo("saveDraftedRecoveryCodes")),
    csrfToken: member.csrfToken,
    codes,
    account: state.account,
    set,
    ...links,
  };
  return showPage(context.pages, { ...visit, path: "" }, { page: recoveryCodesPage, view, ...options });
};

/** `POST /mfa/recovery/register` and `/save`: the user confirms having saved the codes, which work from now on. */
export const saveRecoveryCodes: FreshHandler = async (context, visit, member) => {
  const outcome = await context.self.saveCodes(member.owner, visit.form.one("set"));
  if (outcome === "absent") return sendTo(visit.reply, here(visit, path));
  const refusal = sendRefusal(context, visit, outcome);
  if (refusal !== undefined) return refusal;
  noteDone(context.pages, visit, "codes_saved");
  return sendTo(visit.reply, await nextPlace(context, visit, member));
};
