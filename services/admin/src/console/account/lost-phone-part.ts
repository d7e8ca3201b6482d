import { type AccountReport, consoleRoles, mayAct } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { isTextKey, roleWord, t } from "../../texts/texts.ts";
import { type Actionable, actionsOf } from "../action-forms.ts";

/** Which role has the action, if that of the operator has not. */
function roleText({ operator, helpdesk }: Actionable): Html | undefined {
  const { role } = operator;
  const higher = consoleRoles.find((one) => mayAct({ role: one }, "lost-phone", helpdesk));
  return higher === undefined || mayAct(operator, "lost-phone", helpdesk)
    ? undefined
    : html` ${t("lost_phone.role", { role: roleWord(role), higher: roleWord(higher) })}`;
}

/** Whether a user who lost the phone can get a code, and why not. Nothing if it is not known. */
export function lostPhonePart(
  about: Actionable,
  target: string,
  { lost_phone: judged = "" }: Pick<AccountReport, "lost_phone">,
): Html | undefined {
  const key = `lost_phone.${judged}`;
  if (!isTextKey(key)) return undefined;
  const isPossible = judged === "possible";
  return html`<h3>${t("lost_phone.title")}</h3><p class="lead">${t(key, { admin: roleWord("admin"), account: target })}${isPossible && roleText(about)}</p>${
    isPossible && actionsOf(about, ["lost-phone"], { target })
  }`;
}
