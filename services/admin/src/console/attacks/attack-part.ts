import { type Attacks, pathTo, type SystemReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { sentenceHtml } from "../../texts/messages.ts";
import { isTextKey, t } from "../../texts/texts.ts";
import { badge } from "../house/badge.ts";

/** Whether it is an attack, since when and from where. Undefined while it is quiet, or admin is of an earlier version. */
export function attackPart({ situation }: Pick<Attacks, "situation">, system: SystemReport["state"]): Html | undefined {
  if (situation === undefined || situation.state === "quiet") return undefined;
  const { state, sentences, verdict } = situation;
  const isAttack = state === "attack";
  const label = `attack.badge_${state}`;
  return html`<div class="verdict ${isAttack ? "blocked" : "limited"}">${badge(isAttack ? "bad" : "warn", t(isTextKey(label) ? label : "standing.unknown"))} ${sentenceHtml(sentences, verdict)}${
    system === "up" && html`<p>${t("attack.no_fault")}</p>`
  }<p><a href="${pathTo("consoleOrigins")}">${t("page.origins")}</a> · <a href="${pathTo("consoleBans")}">${t("page.bans")}</a></p></div>`;
}
