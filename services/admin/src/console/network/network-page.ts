import type { ConsoleActionId, DecisionHistoryPage, Explanation, NetworkReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionList, createOffered } from "../action-forms.ts";
import { countText } from "../charts/scales.ts";
import type { ConsolePage } from "../console-document.ts";
import { placeText } from "../place-text.ts";
import { searchBox } from "../search/search-page.ts";
import { doneNotice, plural, time } from "../shown-values.ts";
import { byAccount, programOf } from "../sign-ins/lanes.ts";
import { networkSignIns } from "../sign-ins/sign-ins-part.ts";
import { causesPart, verdictPart } from "../verdict-part.ts";

export interface NetworkView extends Actionable {
  readonly report: NetworkReport;
  readonly explanation: Explanation;
  /** Undefined: the decision history is off. */
  readonly history: DecisionHistoryPage | undefined;
  readonly done: ConsoleActionId | undefined;
  readonly nowMs: number;
}

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;
const daySeconds = 24 * hourSeconds;

/** Rounded up, so that what is left is never too little. */
export function durationText(seconds: number): string {
  if (seconds >= 2 * daySeconds) return plural(Math.ceil(seconds / daySeconds), "day", "days");
  if (seconds >= 2 * hourSeconds) return plural(Math.ceil(seconds / hourSeconds), "hour", "hours");
  return plural(Math.max(1, Math.ceil(seconds / minuteSeconds)), "minute", "minutes");
}

/** A cell; its column's name shows where the columns are stacked. */
const cell = (column: string, content: Html | string): Html => html`<td data-column="${column}">${content}</td>`;

function headOf(names: readonly string[]): Html {
  return html`<thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>`;
}

function bansPart({ report: { bans }, nowMs, links }: NetworkView): Html {
  if (bans.length === 0) return html`<h2>Bans</h2><p class="lead">None is in force.</p>`;
  const rows = bans.map(({ network, rule, start, end }) => {
    const left = durationText((Date.parse(end) - nowMs) / 1000);
    return html`<tr>${cell("Network", html`<a href="${links.search(network)}">${network}</a>`)}${cell("Rule", rule)}${cell("Start", time(start))}${cell("End", html`in ${left} <small>${time(end)}</small>`)}</tr>`;
  });
  return html`<h2>Bans</h2><table class="rows">${headOf(["Network", "Rule", "Start", "End"])}<tbody>${rows}</tbody></table>`;
}

function rulesPart({ report: { rules } }: NetworkView): Html {
  if (rules.length === 0) return html`<h2>Rules</h2><p class="lead">No rule counts the failures of this network.</p>`;
  const rows = rules.map(({ rule, network, failures, limit, period_seconds: period, protocols }) => {
    const state = html`<progress max="${limit}" value="${Math.min(failures, limit)}" aria-label="Failures by ${rule}"></progress> ${countText(failures)} of ${countText(limit)}`;
    const which = protocols.length === 0 ? "all protocols" : protocols.join(", ");
    return html`<tr>${cell("Rule", rule)}${cell("Network", network)}${cell("Failures", state)}${cell("Within", durationText(period))}${cell("Counts", which)}</tr>`;
  });
  return html`<h2>Rules</h2><table class="rows">${headOf(["Rule", "Network", "Failures", "Within", "Counts"])}<tbody>${rows}</tbody></table><p class="lead">A network with many users is banned later: tolerance is not subtracted here.</p>`;
}

function factsPart({ report, history }: NetworkView): Html {
  const { place, distinct_passwords: passwords } = report;
  const records = history?.records ?? [];
  const accounts = new Set(records.filter(({ account }) => account !== undefined).map(byAccount.nameOf));
  const programs = [...new Set(records.map(programOf))];
  const facts: readonly (readonly [string, string])[] = [
    ["Place", placeText(place) || "unknown"],
    ...(history === undefined ? [] : [["Accounts seen", countText(accounts.size)] as const]),
    ...(passwords === undefined
      ? []
      : [["Wrong passwords", `about ${countText(passwords)} different ones in a day`] as const]),
    ...(programs.length === 0
      ? []
      : [["Programs", `${programs.slice(0, 12).join(", ")}${programs.length > 12 ? ", …" : ""}`] as const]),
  ];
  return html`<h2>What is known</h2><dl class="pairs">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** One address or network: whether it is banned or near it, and who signs in from there. */
export function networkPage(view: NetworkView): ConsolePage {
  const { report, explanation, history, links, nowMs, operator, done } = view;
  const { network, incomplete } = report;
  const offered = createOffered();
  return {
    title: `Network ${network}`,
    body: html`${doneNotice(done)}<h1>Network ${network}</h1>${searchBox("", operator.csrfToken)}${verdictPart(explanation)}${causesPart(view, explanation, offered)}${incomplete.map(
      (missing) => html`<p class="note">Incomplete: ${missing}.</p>`,
    )}${factsPart(view)}${actionList(view, "network", network, offered)}${bansPart(view)}${rulesPart(view)}${networkSignIns(
      {
        links,
        history,
        bans: [],
        nowMs,
      },
    )}`,
  };
}
