import { pathTo, type RehearsalReport } from "@postern/shared/contracts";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { chartFigure } from "../charts/chart.ts";
import { countText } from "../charts/scales.ts";
import type { ConsolePage } from "../console-document.ts";
import { time } from "../shown-values.ts";
import { timelineChart } from "./timeline-chart.ts";

/** `none`: nothing was sent; `invalid`: what was sent is no report. */
export type RehearsalAnswer = "none" | "invalid" | RehearsalReport;

export interface RehearsalView {
  readonly answer: RehearsalAnswer;
  readonly operator: Operator;
}

type Figures = RehearsalReport["different"];
type Group = RehearsalReport["groups"][number];

const command = "postern rehearse --config changed.yaml --since 7d --json";
/** A form writes half of the characters as three, and a request may have 1 MiB. */
export const maxReportLength = 524_288;
/** Of one group; the output of the command has all. */
const mostNames = 25;
const mostExamples = 3;
/** Enough to find a request in the log. */
const referenceLength = 13;

const totals = [
  ["now_refused", "Admitted before, now refused"],
  ["now_admitted", "Refused before, now admitted"],
  ["ban_lifted", "No longer banned, answer not recorded"],
  ["refused_otherwise", "Not admitted, for another reason"],
  ["different", "All"],
] as const;

const figureTexts = ({ sign_ins: signIns, accounts, networks, at_least: isLeast = false }: Figures) =>
  ({
    "Sign-ins": countText(signIns),
    Accounts: `${isLeast ? "at least " : ""}${countText(accounts)}`,
    Networks: `${isLeast ? "at least " : ""}${countText(networks)}`,
  }) as const;

/** A table whose columns have names on narrow screens too. */
function rows(columns: readonly string[], cells: readonly (readonly Html[])[]): Html {
  return html`<table class="rows"><thead><tr>${columns.map(
    (column) => html`<th scope="col">${column}</th>`,
  )}</tr></thead><tbody>${cells.map(
    (row) => html`<tr>${row.map((cell, index) => html`<td data-column="${columns[index] ?? ""}">${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
}

function totalsTable(report: RehearsalReport): Html {
  const cells = totals.map(([name, title]) => [
    html`${title}`,
    ...Object.values(figureTexts(report[name])).map((figure) => html`${figure}`),
  ]);
  return rows(["Decided differently", "Sign-ins", "Accounts", "Networks"], cells);
}

function groupPart(group: Group): Html {
  const { before, after, account_names: names, examples } = group;
  const more = group.accounts - Math.min(names.length, mostNames);
  const figures = figureTexts(group);
  return html`<h3>${before} → ${after}</h3><p>${figures["Sign-ins"]} ${group.sign_ins === 1 ? "sign-in" : "sign-ins"}, ${figures.Accounts} ${
    group.accounts === 1 ? "account" : "accounts"
  }, ${figures.Networks} ${group.networks === 1 ? "network" : "networks"}</p><ul class="links">${names
    .slice(0, mostNames)
    .map((name) => html`<li>${name}</li>`)}${more > 0 && html`<li>and ${countText(more)} more</li>`}</ul>${rows(
    ["Time", "Account", "From", "Protocol", "Reference"],
    examples
      .slice(0, mostExamples)
      .map((one) => [
        time(one.time),
        html`${one.username}`,
        html`${one.client_ip === "" ? "–" : one.client_ip}`,
        html`${one.protocol}`,
        html`<code>${one.session.slice(0, referenceLength)}</code>`,
      ]),
  )}`;
}

function bansPart({ bans }: RehearsalReport): Html | undefined {
  if (bans.length === 0) return undefined;
  const cells = bans.map(({ rule, before, after }) => [
    html`${rule}`,
    html`${countText(before)}`,
    html`${countText(after)}`,
  ]);
  return html`<h2>Networks that each rule bans</h2>${rows(["Rule", "Before", "After"], cells)}`;
}

/** What holds for every log, and for every history. */
const always = {
  log: ["Sign-ins by browser and JWT endpoints, and those that a mail server verifies", "not in the log"],
  history: ["Brute-force protection, and the control tls_encryption", "not in the history"],
} as const;

function notJudgedPart({ not_judged: reasons, unreadable, source = "log" }: RehearsalReport): Html {
  const [what, why] = always[source];
  const lines =
    unreadable === 0 ? reasons : [{ reason: "lines or records that could not be read", count: unreadable }, ...reasons];
  return html`<h2>What this cannot judge</h2><ul class="counted">${lines.map(
    ({ reason, count }) =>
      html`<li><span class="name">${reason}</span> <span>${count > 0 && countText(count)}</span></li>`,
  )}<li><span class="name">${what}</span> <span>${why}</span></li></ul>`;
}

function percent(share: number): string {
  const of = share * 100;
  return `${of === 0 || of >= 0.01 ? Number(of.toFixed(4)) : of.toPrecision(2)} %`;
}

function resultPart(report: RehearsalReport): Html {
  const { complete, sign_ins: signIns, from, until, share, groups, has_more_groups: hasMore } = report;
  const chart = timelineChart(report);
  return html`<h2>Result</h2>${
    !complete &&
    html`<p class="lead" role="alert">The reading was interrupted: this is the result of the part that was read.</p>`
  }<p class="lead">${countText(signIns)} ${signIns === 1 ? "sign-in" : "sign-ins"}${
    from !== null && until !== null && html` from ${time(from)} until ${time(until)}`
  }. ${percent(share)} change between admitted and not admitted.</p>${totalsTable(report)}${
    groups.length > 0 && html`<h2>Groups</h2>${groups.map(groupPart)}`
  }${hasMore && html`<p>Further kinds of differences are counted in the totals only.</p>`}${
    chart !== undefined && html`<h2>Over time</h2><div class="charts">${chartFigure(chart)}</div>`
  }${bansPart(report)}${notJudgedPart(report)}`;
}

function reportForm({ csrfToken }: Operator, isOpen: boolean): Html {
  const form = formOf(
    { action: pathTo("consoleRehearsalShow"), csrfToken },
    html`<div class="field"><label for="report">Output of the command</label><textarea id="report" name="report" rows="8" required maxlength="${maxReportLength}" autocomplete="off" spellcheck="false"></textarea></div><button type="submit" class="narrow">Show</button>`,
  );
  return isOpen ? form : html`<details><summary>Show another result</summary>${form}</details>`;
}

/** The result of a rehearsal that ran elsewhere. Nothing of it is stored. */
export function rehearsalPage({ answer, operator }: RehearsalView): ConsolePage {
  const isShown = answer !== "none" && answer !== "invalid";
  return {
    title: "Rehearsal",
    body: html`<h1>Rehearsal</h1><p>Shows which recorded sign-ins a changed configuration would decide differently. Run this command, and paste what it prints. For rules of brute-force protection, add <code>--from</code> and the log of a gateway. The page stores nothing.</p><pre><code>${command}</code></pre>${
      answer === "invalid" &&
      html`<p class="lead" role="alert">This is not the output of postern rehearse --json, or it is larger than 512 KiB.</p>`
    }${reportForm(operator, !isShown)}${isShown && resultPart(answer)}`,
  };
}
