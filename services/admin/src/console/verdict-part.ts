import { type Explanation, type ExplanationCause, isConsoleAction, type Sentence } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { sentenceHtml } from "../texts/messages.ts";
import { isTextKey, known, type TextKey, t } from "../texts/texts.ts";
import { type Actionable, actionsOf, moreActions, type Offered } from "./action-forms.ts";
import { badge, type Mood } from "./house/badge.ts";

type State = readonly [mood: Mood, word: TextKey];

/** States of an explanation, in a word. */
const states: Readonly<Record<string, State>> = {
  working: ["good", "standing.works"],
  lifted: ["good", "standing.works_again"],
  blocked: ["bad", "standing.blocked"],
  denied: ["bad", "standing.refused"],
  delayed: ["warn", "standing.delayed"],
  limited: ["warn", "standing.limited"],
  doubted: ["warn", "standing.doubted"],
  undecided: ["warn", "standing.tempfail"],
};
const noState: State = ["plain", "standing.unknown"];

const stateOf = ({ state, causes = [] }: Explanation): State =>
  causes.some(({ kind }) => kind === "suspension") ? ["bad", "standing.suspended"] : (states[state] ?? noState);

/** A single cause without a button is in the sentence of the verdict already. */
function listedCauses({ causes = [] }: Explanation): readonly ExplanationCause[] {
  return causes.length === 1 && causes[0]?.action === undefined ? [] : causes;
}

function offer(about: Actionable, { action = "", target = "" }: ExplanationCause, offered: Offered, isRemedy: boolean) {
  const isNew = isConsoleAction(action) && target !== "" && offered.add(action, target);
  return isNew ? actionsOf(about, [action], { target, isRemedy }) : undefined;
}

/** To lift the ban of such a place is rarely what helps. */
const isGuessing = ({ sentences = [] }: Explanation): boolean =>
  sentences.some(({ code }) => code === "verdict.place_guessing");

/** What ends the first cause, unless sign-ins succeed in spite of it. */
function remedyPart(about: Actionable, explanation: Explanation, offered: Offered): Html | undefined {
  const [mood] = stateOf(explanation);
  const first = listedCauses(explanation).find(({ action = "" }) => isConsoleAction(action));
  return first === undefined || mood === "good" ? undefined : offer(about, first, offered, !isGuessing(explanation));
}

interface Options {
  readonly offered: Offered;
  /** The other actions, once it is known which one helps. */
  readonly others: () => Html | undefined;
  /** What suspending the account ends, with numbers. */
  readonly ends?: Html | undefined;
}

type Remedied = Pick<ExplanationCause, "remedy" | "remedy_sentence">;

/** Names the action of the console, where the management interface names a command. */
function inConsole(said: Sentence): Sentence {
  const code = said.code.replace(/^remedy\./u, "here.");
  return isTextKey(code) ? { ...said, code } : said;
}

const remedyText = ({ remedy, remedy_sentence: said }: Remedied, write: (text: Html) => Html): Html | undefined =>
  remedy === undefined ? undefined : write(sentenceHtml(said && [inConsole(said)], remedy));

/** The brake of a takeover, where everyone who may use it sees it. */
function suspendPart(about: Actionable, explanation: Explanation, { offered, ends }: Options): Html | undefined {
  const { doubts, account, causes = [] } = explanation;
  const isSuspended = causes.some(({ kind }) => kind === "suspension");
  if (doubts === undefined || account === undefined || isSuspended) return undefined;
  const actions = actionsOf(about, ["suspend"], { target: account, ends, isRemedy: true });
  if (actions !== undefined) offered.add("suspend", account);
  return actions;
}

/** What an answer of the management interface lacks, which it says in English. */
export const incompleteText = (missing: string): Html =>
  t("house.incomplete", { missing: known("incomplete", missing) });

/** The answer in a sentence, with the action that helps beside it. */
export function verdictPart(about: Actionable, explanation: Explanation, options: Options): Html {
  const { offered, others } = options;
  const { state, verdict, sentences, incomplete } = explanation;
  const [mood, label] = stateOf(explanation);
  const isRemedyBelow = listedCauses(explanation).length > 0;
  const helps = remedyPart(about, explanation, offered);
  const suspend = suspendPart(about, explanation, options);
  const more = moreActions(others());
  return html`<div class="verdict ${state}"><div role="status">${badge(mood, t(label))} ${sentenceHtml(sentences, verdict)}${
    !isRemedyBelow && remedyText(explanation, (text) => html`<p>${text}</p>`)
  }${incomplete.map((missing) => html`<p>${incompleteText(missing)}</p>`)}</div>${
    [helps, suspend, more].some((part) => part !== undefined) &&
    html`<div class="beside">${helps}${suspend}${more}</div>`
  }</div>`;
}

/** The remedy as a button if this operator may use it and the verdict does not offer it, and in words in any case. */
function causeItem(about: Actionable, cause: ExplanationCause, offered: Offered) {
  const { text, sentences } = cause;
  return html`<li><p>${sentenceHtml(sentences, text)}</p>${remedyText(cause, (remedy) => html`<p class="lead">${remedy}</p>`)}${offer(about, cause, offered, false)}</li>`;
}

/** Everything in force, each with its remedy. */
export function causesPart(about: Actionable, explanation: Explanation, offered: Offered): Html | undefined {
  const causes = listedCauses(explanation);
  return causes.length === 0
    ? undefined
    : html`<h2>${t("standing.in_force")}</h2><ul class="causes">${causes.map((cause) => causeItem(about, cause, offered))}</ul>`;
}
