import type { RehearsalReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { countText, joined, known, t } from "../../texts/texts.ts";
import { type Chart, chartFigure } from "../charts/chart.ts";
import { linearTicks } from "../charts/scales.ts";
import { counted, sumOf } from "../charts/sign-in-charts.ts";
import { time } from "../shown-values.ts";

type Figures = RehearsalReport["different"];
type Group = RehearsalReport["groups"][number];

/** Of one group; the output of the command has all. */
const mostNames = 25;
const mostExamples = 3;
/** Enough to find a request in the log. */
const referenceLength = 13;

const totals = ["now_refused", "now_admitted", "ban_lifted", "refused_otherwise", "different"] as const;

const atLeast = (isLeast: boolean, count: Html): Html => (isLeast ? t("rehearsal.at_least", { count }) : count);

/** A table whose columns have names on narrow screens too. */
function rows(columns: readonly Html[], cells: readonly (readonly Html[])[]): Html {
  return html`<table class="rows"><thead><tr>${columns.map(
    (column) => html`<th scope="col">${column}</th>`,
  )}</tr></thead><tbody>${cells.map(
    (row) => html`<tr>${row.map((cell, index) => html`<td data-column="${columns[index]}">${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
}

function totalsTable(report: RehearsalReport): Html {
  const cells = totals.map((name) => {
    const { sign_ins: signIns, accounts, networks, at_least: isLeast = false }: Figures = report[name];
    return [
      t(`rehearsal.total_${name}`),
      countText(signIns),
      atLeast(isLeast, countText(accounts)),
      atLeast(isLeast, countText(networks)),
    ];
  });
  const columns = [t("rehearsal.different"), t("col.sign_ins"), t("rehearsal.accounts"), t("rehearsal.networks")];
  return rows(columns, cells);
}

function groupPart(group: Group): Html {
  const { before, after, account_names: names, examples } = group;
  const more = group.accounts - Math.min(names.length, mostNames);
  const { at_least: isLeast = false } = group;
  const figures = [
    t("rehearsal.count_sign_ins", { count: group.sign_ins }),
    atLeast(isLeast, t("shadow.count_accounts", { count: group.accounts })),
    atLeast(isLeast, t("rehearsal.count_networks", { count: group.networks })),
  ];
  return html`<h3>${known("rehearsal_words", before)} → ${known("rehearsal_words", after)}</h3><p>${joined(figures)}</p><ul class="links">${names
    .slice(0, mostNames)
    .map(
      (name) => html`<li>${name}</li>`,
    )}${more > 0 && html`<li>${t("rehearsal.more", { count: more })}</li>`}</ul>${rows(
    [t("col.time"), t("col.account"), t("col.from"), t("col.protocol"), t("col.reference")],
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
  return html`<h2>${t("rehearsal.bans")}</h2>${rows([t("col.rule"), t("rehearsal.before"), t("rehearsal.after")], cells)}`;
}

/** What holds for every log, and for every history. */
const always = {
  log: [t("rehearsal.elsewhere"), t("rehearsal.not_in_log")],
  history: [t("rehearsal.brute_force"), t("rehearsal.not_in_history")],
} as const;

function notJudgedPart({ not_judged: reasons, unreadable, source = "log" }: RehearsalReport): Html {
  const [what, why] = always[source];
  // The command and the engine write them in English.
  const shown = reasons.map(({ reason, count }) => ({ reason: known("rehearsal_reason", reason), count }));
  const lines = [...(unreadable === 0 ? [] : [{ reason: t("rehearsal.unreadable"), count: unreadable }]), ...shown];
  return html`<h2>${t("rehearsal.not_judged")}</h2><ul class="counted">${lines.map(
    ({ reason, count }) =>
      html`<li><span class="name">${reason}</span> <span>${count > 0 && countText(count)}</span></li>`,
  )}<li><span class="name">${what}</span> <span>${why}</span></li></ul>`;
}

function percent(share: number): string {
  const of = share * 100;
  return `${of === 0 || of >= 0.01 ? Number(of.toFixed(4)) : of.toPrecision(2)} %`;
}

/** Totals, groups with examples, differences over time, bans, and what could not be judged. */
export function resultPart(report: RehearsalReport): Html {
  const { complete, sign_ins: signIns, from, until, share, groups, has_more_groups: hasMore } = report;
  const chart = timelineChart(report);
  const sum = t("rehearsal.count_sign_ins", { count: signIns });
  return html`<h2>${t("rehearsal.result")}</h2>${
    !complete && html`<p class="lead" role="alert">${t("rehearsal.interrupted")}</p>`
  }<p class="lead">${
    from !== null && until !== null
      ? t("rehearsal.sum_range", { sign_ins: sum, from: time(from), until: time(until) })
      : t("rehearsal.sum", { sign_ins: sum })
  } ${t("rehearsal.share", { share: percent(share) })}</p>${totalsTable(report)}${
    groups.length > 0 && html`<h2>${t("rehearsal.groups")}</h2>${groups.map(groupPart)}`
  }${hasMore && html`<p>${t("rehearsal.further")}</p>`}${
    chart !== undefined && html`<h2>${t("rehearsal.over_time")}</h2><div class="charts">${chartFigure(chart)}</div>`
  }${bansPart(report)}${notJudgedPart(report)}`;
}

const hourMs = 3_600_000;
const mostSteps = 240;

/** Differences over time: hours, or longer steps if there are many. Undefined without a difference. */
function timelineChart({ timeline }: RehearsalReport): Chart | undefined {
  const changed = timeline.filter(({ different }) => different > 0);
  if (changed.length === 0) return undefined;
  const hours = timeline.map(({ hour }) => Math.floor(Date.parse(hour) / hourMs));
  const first = hours.reduce((lowest, hour) => Math.min(lowest, hour), Number.POSITIVE_INFINITY);
  const length = hours.reduce((highest, hour) => Math.max(highest, hour), first) - first + 1;
  const perStep = Math.ceil(length / mostSteps);
  const steps = Math.ceil(length / perStep);
  const refused = Array.from({ length: steps }, () => 0);
  const others = Array.from({ length: steps }, () => 0);
  for (const { hour, different, now_refused: now } of changed) {
    const step = Math.floor((Math.floor(Date.parse(hour) / hourMs) - first) / perStep);
    refused[step] = (refused[step] ?? 0) + now;
    others[step] = (others[step] ?? 0) + Math.max(0, different - now);
  }
  const highest = refused.reduce((maximum, now, step) => Math.max(maximum, now + (others[step] ?? 0)), 0);
  return {
    title: t("rehearsal.chart"),
    description: t("rehearsal.chart_about", { refused: sumOf(refused), all: sumOf(refused) + sumOf(others) }),
    times: refused.map((_, step) => (first + step * perStep) * hourMs),
    stepMs: perStep * hourMs,
    series: [
      { name: t("rehearsal.now_refused"), colour: "wrong", shape: "bars", values: refused },
      { name: t("rehearsal.others"), colour: "unknown", shape: "bars", values: others },
    ],
    ticks: linearTicks(highest),
    ...counted,
  };
}
