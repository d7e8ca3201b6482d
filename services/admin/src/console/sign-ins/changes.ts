import type { AccountChange } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { t, word } from "../../texts/texts.ts";
import { time } from "../shown-values.ts";

/** Factors; other reasons are for programs. */
const factors: ReadonlySet<string> = new Set(["totp", "webauthn", "recovery"]);

/** A change in words, such as `Second factor added (passkey) by the user`. */
function changeText({ event, reason = "", by }: AccountChange): Html {
  const change = word("change", event);
  const what = factors.has(reason) ? html`${change} (${word("change_factor", reason)})` : change;
  return by === "user" || by === "operator" ? t(`change_by.${by}`, { change: what }) : what;
}

/** Changes of an account as text. */
export function changesPart(changes: readonly AccountChange[]): Html | undefined {
  return changes.length === 0
    ? undefined
    : html`<h3>${t("sign_ins.changes")}</h3><ul class="counted">${changes.map(
        (change) => html`<li><span class="name">${changeText(change)}</span> ${time(change.time)}</li>`,
      )}</ul>`;
}
