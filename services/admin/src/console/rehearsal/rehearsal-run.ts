import { maxRehearsedText, pathTo, type RehearsalRun } from "@postern/shared/contracts";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { countText, percentText, t } from "../../texts/texts.ts";
import { time } from "../shown-values.ts";
import { resultPart } from "./rehearsal-result.ts";

type Session = Pick<Operator, "csrfToken">;

const hourMs = 3_600_000;

/** How far back the sign-ins go that a rehearsal decides again. */
export const periods = {
  "24h": { title: t("act.lasts_24h"), ms: 24 * hourMs },
  "7d": { title: t("act.lasts_7d"), ms: 7 * 24 * hourMs },
  all: { title: t("rehearsal.all"), ms: undefined },
} as const;

function progressPart(run: RehearsalRun, { csrfToken }: Session): Html {
  const { done = 0, sign_ins: signIns = 0, remaining_seconds: seconds, cancelled = false } = run;
  const state = t("rehearsal.progress", {
    done: percentText(done),
    sign_ins: t("rehearsal.count_sign_ins", { count: signIns }),
  });
  const minutes = seconds === undefined ? undefined : Math.max(1, Math.round(seconds / 60));
  const form = formOf(
    { action: pathTo("consoleRehearsalCancel"), csrfToken },
    html`<button type="submit" class="narrow quiet">${t("rehearsal.cancel")}</button>`,
  );
  return html`<p><progress max="1" value="${done}" aria-label="${t("rehearsal.here")}"></progress></p><p>${state}${minutes !== undefined && html` ${t("rehearsal.remaining", { minutes: countText(minutes) })}`}</p>${cancelled ? html`<p role="status">${t("rehearsal.cancelling")}</p>` : form}`;
}

function outcomePart({ state, problems = [], report }: RehearsalRun): Html | undefined {
  if (state === "lost") return html`<p class="lead" role="alert">${t("rehearsal.lost")}</p>`;
  if (report !== undefined) return resultPart(report);
  const title = state === "refused" ? t("rehearsal.refused") : t("rehearsal.failed");
  return html`<p class="lead" role="alert">${title}</p><ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul>`;
}

/** Behind a summary below a result. */
function startForm({ state }: RehearsalRun, { csrfToken }: Session): Html {
  const options = Object.entries(periods).map(
    ([name, { title }]) => html`<option value="${name}"${name === "7d" && html` selected`}>${title}</option>`,
  );
  const form = formOf(
    { action: pathTo("consoleRehearsalStart"), csrfToken },
    html`<div class="field"><label for="configuration">${t("rehearsal.configuration")}</label><textarea id="configuration" name="configuration" rows="12" required maxlength="${maxRehearsedText}" autocomplete="off" spellcheck="false"></textarea></div><div class="field"><label for="last">${t("rehearsal.last")}</label><select id="last" name="last">${options}</select></div><button type="submit" class="narrow">${t("rehearsal.start")}</button>`,
  );
  const about = html`<p>${t("rehearsal.here_about")}</p>`;
  if (state === "none") return html`<h2>${t("rehearsal.here")}</h2>${about}${form}`;
  return html`<details><summary>${t("rehearsal.again")}</summary>${about}${form}</details>`;
}

/** How far the rehearsal is; or its result, and the form that starts another one. */
export function liveRehearsal(run: RehearsalRun, operator: Session): Html {
  const { state, by = "–", started } = run;
  if (state === "none") return startForm(run, operator);
  const begun = started !== undefined && html`<p>${t("rehearsal.started", { by, time: time(started) })}</p>`;
  const isRunning = state === "running";
  return html`<section><h2>${t("rehearsal.here")}</h2>${begun}${isRunning ? progressPart(run, operator) : outcomePart(run)}</section>${!isRunning && startForm(run, operator)}`;
}
