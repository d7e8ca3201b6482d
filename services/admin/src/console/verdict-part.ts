import { type Explanation, type ExplanationCause, isConsoleAction } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionsOf, moreActions, type Offered } from "./action-forms.ts";
import { badge, type Mood } from "./house/badge.ts";

type State = readonly [mood: Mood, word: string];

/** States of an explanation, in a word. */
const states: Readonly<Record<string, State>> = {
  working: ["good", "Works"],
  lifted: ["good", "Works again"],
  blocked: ["bad", "Blocked"],
  denied: ["bad", "Refused"],
  delayed: ["warn", "Delayed"],
  limited: ["warn", "Limited"],
  undecided: ["warn", "Temporary failure"],
};
const noState: State = ["plain", "Unknown"];

const stateOf = ({ state, causes = [] }: Explanation): State =>
  causes.some(({ kind }) => kind === "suspension") ? ["bad", "Suspended"] : (states[state] ?? noState);

/** A single cause without a button is in the sentence of the verdict already. */
function listedCauses({ causes = [] }: Explanation): readonly ExplanationCause[] {
  return causes.length === 1 && causes[0]?.action === undefined ? [] : causes;
}

function offer(about: Actionable, { action = "", target = "" }: ExplanationCause, offered: Offered, isRemedy: boolean) {
  const isNew = isConsoleAction(action) && target !== "" && offered.add(action, target);
  return isNew ? actionsOf(about, [action], { target, isRemedy }) : undefined;
}

/** What ends the first cause, unless sign-ins succeed in spite of it. */
function remedyPart(about: Actionable, explanation: Explanation, offered: Offered): Html | undefined {
  const [mood] = stateOf(explanation);
  const first = listedCauses(explanation).find(({ action = "" }) => isConsoleAction(action));
  return first === undefined || mood === "good" ? undefined : offer(about, first, offered, true);
}

/**
 * The answer in a sentence, with the action that helps beside it.
 *
 * @param others the other actions, once it is known which one helps
 */
export function verdictPart(
  about: Actionable,
  explanation: Explanation,
  { offered, others }: { readonly offered: Offered; readonly others: () => Html | undefined },
): Html {
  const { state, verdict: sentence, incomplete, remedy } = explanation;
  const isRemedyBelow = listedCauses(explanation).length > 0;
  const helps = remedyPart(about, explanation, offered);
  const more = moreActions(others());
  return html`<div class="verdict ${state}"><div role="status">${badge(...stateOf(explanation))} ${sentence}${
    !isRemedyBelow && remedy !== undefined && html`<p>${remedy}</p>`
  }${incomplete.map((missing) => html`<p>Incomplete: ${missing}.</p>`)}</div>${
    (helps !== undefined || more !== undefined) && html`<div class="beside">${helps}${more}</div>`
  }</div>`;
}

/** The remedy as a button if this operator may use it and the verdict does not offer it, and in words in any case. */
function causeItem(about: Actionable, cause: ExplanationCause, offered: Offered) {
  const { text, remedy } = cause;
  return html`<li><p>${text}</p>${remedy !== undefined && html`<p class="lead">${remedy}</p>`}${offer(about, cause, offered, false)}</li>`;
}

/** Everything in force, each with its remedy. */
export function causesPart(about: Actionable, explanation: Explanation, offered: Offered): Html | undefined {
  const causes = listedCauses(explanation);
  return causes.length === 0
    ? undefined
    : html`<h2>In force now</h2><ul class="causes">${causes.map((cause) => causeItem(about, cause, offered))}</ul>`;
}
