import type { DomainReport, DomainTraffic } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { countText, dateText, t } from "../../texts/texts.ts";
import { type Chart, chartFigure } from "../charts/chart.ts";
import { linearTicks } from "../charts/scales.ts";
import { counted } from "../charts/sign-in-charts.ts";
import { pairs } from "../house/pairs.ts";
import { time } from "../shown-values.ts";

const dayMs = 86_400_000;

function chartOf({ days, successes, failures }: DomainTraffic): Chart {
  return {
    title: t("domains.chart", { count: days.length }),
    description: t("domains.chart_about", { successes, failures }),
    times: days.map(({ date }) => Date.parse(date)),
    stepMs: dayMs,
    series: [
      { name: t("col.successes"), colour: "ok", shape: "bars", values: days.map((day) => day.successes) },
      { name: t("col.refused"), colour: "wrong", shape: "bars", values: days.map((day) => day.failures) },
    ],
    ticks: linearTicks(Math.max(0, ...days.map((day) => day.successes + day.failures))),
    ...counted,
  };
}

/** The sign-ins of one domain, as numbers and as a chart. */
export function signInsPart({ origin, sign_ins: signIns }: DomainReport): Html | false {
  if (origin !== "records" && origin !== "source") return false;
  if (signIns === undefined) return html`<p class="lead">${t("domains.no_counts")}</p>`;
  const { last, accounts, second_factors: factors, app_passwords: passwords, accounts_since: since } = signIns;
  return html`${chartFigure(chartOf(signIns))}${pairs([
    [t("rehearsal.accounts"), countText(accounts)],
    [t("account.factors"), countText(factors)],
    [t("account.app_passwords"), countText(passwords)],
    [t("domains.last"), last === undefined ? "–" : time(last)],
  ])}<p class="lead">${t("domains.accounts_about", { date: dateText(Date.parse(since)) })}</p>`;
}

const [barWidth, barStep, barHeight] = [4, 6, 20];

/** The days as small bars, for people who see them: the numbers stand beside them. */
export function smallChart({ days }: DomainTraffic): Html {
  const highest = Math.max(1, ...days.map((day) => day.successes + day.failures));
  const width = days.length * barStep;
  const heightOf = (count: number): number =>
    count === 0 ? 0 : Math.max(1, Math.round((count / highest) * barHeight));
  const bar = (index: number, from: number, height: number): string =>
    height === 0 ? "" : `M${index * barStep} ${barHeight - from}v-${height}h${barWidth}v${height}z`;
  const [good, bad] = [
    days.map((day, index) => bar(index, 0, heightOf(day.successes))),
    days.map((day, index) => bar(index, heightOf(day.successes), heightOf(day.failures))),
  ];
  return html`<svg width="${width}" height="${barHeight + 1}" aria-hidden="true"><path class="mark c-ok" d="${good.join("")}"/><path class="mark c-wrong" d="${bad.join("")}"/></svg>`;
}
