import { type Explanation, type ExplanationCause, isConsoleAction } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionsOf, type Offered } from "./action-forms.ts";

/** A single cause without a button is in the sentence of the verdict already. */
function listedCauses({ causes = [] }: Explanation): readonly ExplanationCause[] {
  return causes.length === 1 && causes[0]?.action === undefined ? [] : causes;
}

/** The answer in a sentence. */
export function verdictPart(explanation: Explanation): Html {
  const { state, verdict: sentence, incomplete, remedy } = explanation;
  const isRemedyBelow = listedCauses(explanation).length > 0;
  return html`<div class="verdict ${state}" role="status">${sentence}${
    !isRemedyBelow && remedy !== undefined && html`<p>${remedy}</p>`
  }${incomplete.map((missing) => html`<p>Incomplete: ${missing}.</p>`)}</div>`;
}

/** The remedy as a button if this operator may use it, and in words in any case. */
function causeItem(about: Actionable, { text, remedy, action = "", target = "" }: ExplanationCause, offered: Offered) {
  const isRemedy = isConsoleAction(action) && target !== "" && offered.add(action, target);
  return html`<li><p>${text}</p>${remedy !== undefined && html`<p class="lead">${remedy}</p>`}${
    isRemedy && actionsOf(about, [action], { target, isRemedy })
  }</li>`;
}

/** Everything in force, each with its remedy. */
export function causesPart(about: Actionable, explanation: Explanation, offered: Offered): Html | undefined {
  const causes = listedCauses(explanation);
  return causes.length === 0
    ? undefined
    : html`<h2>In force now</h2><ul class="causes">${causes.map((cause) => causeItem(about, cause, offered))}</ul>`;
}
