import { pathTo, type RehearsalReport, type RehearsalRun } from "@postern/shared/contracts";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { t } from "../../texts/texts.ts";
import type { ConsolePage } from "../console-document.ts";
import { livePart } from "../live-script.ts";
import { resultPart } from "./rehearsal-result.ts";
import { liveRehearsal } from "./rehearsal-run.ts";

/** `none`: nothing was sent; `invalid`: what was sent is no report. */
export type RehearsalAnswer = "none" | "invalid" | RehearsalReport;

export interface RehearsalView {
  readonly answer: RehearsalAnswer;
  /** Undefined if there is no decision history to rehearse with. */
  readonly run: RehearsalRun | undefined;
  /** Why no rehearsal was started. */
  readonly refusal?: Html | undefined;
  readonly operator: Pick<Operator, "csrfToken">;
}

const command = "postern rehearse --config changed.yaml --since 7d --json";
/** A form writes half of the characters as three, and a request may have 1 MiB. */
export const maxReportLength = 524_288;

function reportForm({ csrfToken }: RehearsalView["operator"]): Html {
  return formOf(
    { action: pathTo("consoleRehearsalShow"), csrfToken },
    html`<div class="field"><label for="report">${t("rehearsal.output")}</label><textarea id="report" name="report" rows="8" required maxlength="${maxReportLength}" autocomplete="off" spellcheck="false"></textarea></div><button type="submit" class="narrow quiet">${t("house.show")}</button>`,
  );
}

/** With the report of the command, the page shows that one only. */
function commandPart({ answer, operator }: RehearsalView): Html {
  const isInvalid = answer === "invalid" && html`<p class="lead" role="alert">${t("rehearsal.invalid")}</p>`;
  const isOpen = answer === "invalid" && html` open`;
  return html`<h2>${t("rehearsal.command")}</h2><p>${t("rehearsal.command_about", { option: html`<code>--from</code>` })}</p><pre><code>${command}</code></pre>${isInvalid}<details${isOpen}><summary>${t("rehearsal.another")}</summary>${reportForm(operator)}</details>`;
}

function runPart({ run, refusal, operator }: RehearsalView): Html {
  if (run === undefined) return html`<p class="lead">${t("rehearsal.no_history")}</p>`;
  const content = liveRehearsal(run, operator);
  const shown = run.state === "running" ? livePart(pathTo("consoleRehearsalEvents"), content) : content;
  return html`${refusal !== undefined && html`<p class="lead" role="alert">${refusal}</p>`}${shown}`;
}

/** A rehearsal that an engine runs or ran, and the result of one that the command ran, of which nothing is stored. */
export function rehearsalPage(view: RehearsalView): ConsolePage {
  const { answer } = view;
  const title = t("page.rehearsal");
  const isShown = answer !== "none" && answer !== "invalid";
  return {
    title,
    id: "rehearsal",
    body: html`<h1>${title}</h1><p>${t("rehearsal.about")}</p>${isShown ? resultPart(answer) : runPart(view)}${commandPart(view)}`,
  };
}
