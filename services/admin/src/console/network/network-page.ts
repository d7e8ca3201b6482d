import type { ConsoleActionId, DecisionHistoryPage, Explanation, NetworkReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionList, createOffered } from "../action-forms.ts";
import { countText } from "../charts/scales.ts";
import type { ConsolePage } from "../console-document.ts";
import { table } from "../house/table.ts";
import { placeText } from "../place-text.ts";
import { doneNotice, exactTime, plural, time } from "../shown-values.ts";
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

function bansPart({ report: { bans }, nowMs, links }: NetworkView): Html {
  if (bans.length === 0) return html`<h2>Bans</h2><p class="lead">None is in force.</p>`;
  const left = (end: string): string => durationText((Date.parse(end) - nowMs) / 1000);
  return html`<h2>Bans</h2>${table({
    label: "Bans",
    rows: bans,
    columns: [
      { name: "Network", cell: ({ network }) => html`<a href="${links.search(network)}">${network}</a>` },
      { name: "Rule", cell: ({ rule }) => rule },
      { name: "Start", cell: ({ start }) => time(start) },
      { name: "End", cell: ({ end }) => html`in ${left(end)} <small>${exactTime(end)}</small>` },
    ],
  })}`;
}

const counter = (rule: string, failures: number, limit: number): Html =>
  html`<progress max="${limit}" value="${Math.min(failures, limit)}" aria-label="Failures by ${rule}"></progress> ${countText(failures)} of ${countText(limit)}`;

function rulesPart({ report: { rules } }: NetworkView): Html {
  if (rules.length === 0) return html`<h2>Rules</h2><p class="lead">No rule counts the failures of this network.</p>`;
  return html`<h2>Rules</h2>${table({
    label: "Rules",
    rows: rules,
    columns: [
      { name: "Rule", cell: ({ rule }) => rule },
      { name: "Network", cell: ({ network }) => network },
      { name: "Failures", cell: ({ rule, failures, limit }) => counter(rule, failures, limit) },
      { name: "Within", cell: ({ period_seconds: period }) => durationText(period) },
      { name: "Counts", cell: ({ protocols }) => (protocols.length === 0 ? "all protocols" : protocols.join(", ")) },
    ],
  })}<p class="lead">A network with many users is banned later: tolerance is not subtracted here.</p>`;
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
  const { report, explanation, history, links, nowMs, done } = view;
  const { network, incomplete } = report;
  const { domain } = view.operator;
  const offered = createOffered();
  const others = (): Html | undefined => actionList(view, "network", network, offered);
  const verdict = verdictPart(view, explanation, { offered, others });
  return {
    title: `Network ${network}`,
    body: html`${doneNotice(done)}<h1>Network ${network}</h1>${verdict}${causesPart(view, explanation, offered)}${incomplete.map(
      (missing) => html`<p class="note">Incomplete: ${missing}.</p>`,
    )}${domain !== undefined && html`<p class="note">You see what concerns accounts of ${domain}.</p>`}${factsPart(view)}${
      (domain === undefined || report.bans.length > 0) && bansPart(view)
    }${domain === undefined && rulesPart(view)}${networkSignIns({
      links,
      history,
      bans: [],
      nowMs,
    })}`,
  };
}
