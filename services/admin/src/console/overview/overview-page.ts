import { type Attacks, pathTo, type SignInSeries, type SystemReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { sentenceHtml } from "../../texts/messages.ts";
import {
  countText,
  joined,
  millisecondsText,
  percentText,
  roughText,
  subjectText,
  t,
  word,
} from "../../texts/texts.ts";
import { attackPart } from "../attacks/attack-part.ts";
import { attackedAccounts, counted, networkItems } from "../bans/bans-page.ts";
import { chartFigure } from "../charts/chart.ts";
import {
  bansChart,
  decisionsOf,
  outcomesChart,
  refusedOf,
  sumOf,
  suspiciousChart,
  tempfailChart,
  timesChart,
  weekChart,
} from "../charts/sign-in-charts.ts";
import type { ConsolePage } from "../console-document.ts";
import { stateBadge } from "../house/badge.ts";
import { type SubjectLinks, time } from "../shown-values.ts";

/** Ranges between which links switch. */
const overviewRanges = ["1h", "24h", "7d"] as const;
export type OverviewRange = (typeof overviewRanges)[number];

export const isOverviewRange = (text: string): text is OverviewRange => overviewRanges.some((range) => range === text);

export interface OverviewView {
  readonly range: OverviewRange;
  readonly series: SignInSeries;
  readonly system: SystemReport;
  readonly attacks: Attacks;
  readonly operator: Pick<Operator, "csrfToken">;
  readonly links: SubjectLinks;
}

/** What is listed here; the page of bans has the rest. */
const maxListed = 5;

interface Tile {
  readonly name: Html;
  readonly value: Html | string;
  readonly about: Html;
  readonly mood?: "good" | "bad" | undefined;
}

/** From here on, a change is said as a multiple. */
const leastTimes = 2;

/** The steps that have ended, and the one that has begun if it has more already. Undefined if nothing was counted a week before. */
function weekText({ week, week_step_seconds: seconds }: SignInSeries): Html | undefined {
  const both = week.filter(
    ({ failures, week_before: before }, index) =>
      before !== undefined && (index < week.length - 1 || failures > before),
  );
  const before = sumOf(both.map(({ week_before: then = 0 }) => then));
  if (before === 0) return undefined;
  const times = sumOf(both.map(({ failures }) => failures)) / before;
  const isLong = week.length * seconds > 172_800;
  if (times >= leastTimes) return t(isLong ? "overview.times_7d" : "overview.times_24h", { times: roughText(times) });
  const change = Math.round(100 * times - 100);
  const values = { change: html`${change >= 0 ? "+" : "−"}${countText(Math.abs(change))}` };
  return t(isLong ? "overview.week_7d" : "overview.week_24h", values);
}

function objectiveTile(isMet: boolean, objective: Html): Pick<Tile, "about" | "mood"> {
  return isMet
    ? { about: t("overview.met", { objective }), mood: "good" }
    : { about: t("overview.missed", { objective }), mood: "bad" };
}

function tilesOf(series: SignInSeries): readonly Tile[] {
  const { steps, objective, p99_ms: p99, step_seconds: seconds } = series;
  const all = sumOf(steps.map(decisionsOf));
  const [refused, failed] = [sumOf(steps.map(refusedOf)), sumOf(steps.map(({ tempfail }) => tempfail))];
  const share = (of: number): number => (all === 0 ? 0 : of / all);
  const perMinute = (60 * all) / Math.max(1, seconds * steps.length);
  const fresh = sumOf(steps.map(({ new_bans: bans }) => bans));
  const inForce = steps.findLast(({ bans }) => bans !== undefined)?.bans;
  const suspicious = sumOf(steps.map((step) => step.suspicious));
  const { tempfail_share: maxShare, p99_ms: maxMs } = objective;
  return [
    {
      name: t("col.sign_ins"),
      value: countText(all),
      about: t("overview.rate", { rate: roughText(perMinute) }),
    },
    {
      name: t("col.refused"),
      value: countText(refused),
      about: joined([percentText(share(refused)), weekText(series)], "; "),
    },
    {
      name: t("chart.tempfails"),
      value: countText(failed),
      ...(all === 0
        ? { about: t("overview.no_decisions") }
        : objectiveTile(share(failed) <= maxShare, t("overview.at_most", { share: percentText(maxShare) }))),
    },
    {
      name: t("overview.p99"),
      value: p99 === undefined ? "–" : millisecondsText(p99),
      ...(p99 === undefined
        ? { about: t("overview.no_decisions") }
        : objectiveTile(p99 <= maxMs, millisecondsText(maxMs))),
    },
    {
      name: t("overview.bans"),
      value: inForce === undefined ? "–" : countText(inForce),
      about: t("overview.new", { count: fresh }),
    },
    {
      name: t("risk.title"),
      value: countText(suspicious),
      about: t("overview.correct"),
    },
  ];
}

function tiles(series: SignInSeries): Html {
  return html`<dl class="tiles">${tilesOf(series).map(
    ({ name, value, about, mood }) =>
      html`<div class="${mood ?? "plain"}"><dt>${name}</dt><dd><b>${value}</b><small>${about}</small></dd></div>`,
  )}</dl>`;
}

function switches(range: OverviewRange): Html {
  return html`<nav class="ranges" aria-label="${t("col.time")}">${overviewRanges.map(
    (id) =>
      html`<a href="${pathTo("consoleOverview")}?range=${id}"${id === range && html` aria-current="true"`}>${t(`overview.range_${id}`)}</a>`,
  )}</nav>`;
}

interface Part {
  readonly name: Html;
  readonly state: string;
  readonly about?: Html | undefined;
}

/** Versions, each with the number of processes that have it. */
function versionsOf({ instances }: SystemReport["services"][number]): string {
  const versions = Map.groupBy(instances, ({ version }) => version);
  return [...versions].map(([version, of]) => `${version}${of.length > 1 ? ` × ${of.length}` : ""}`).join(", ");
}

function serviceAbout(service: SystemReport["services"][number]): Html {
  const { instances } = service;
  const latest = instances
    .map(({ started }) => started)
    .toSorted()
    .at(-1);
  const failed = [...new Set(instances.flatMap(({ failed_checks: checks }) => checks))];
  const parts = [
    instances.length === 0 ? t("overview.no_process") : t("overview.version", { versions: versionsOf(service) }),
    latest !== undefined && t("overview.started", { time: time(latest) }),
    failed.length > 0 && t("overview.failed", { checks: failed.join(", ") }),
  ];
  return joined(parts, "; ");
}

const latency = (ms: number | undefined): Html | undefined => (ms === undefined ? undefined : millisecondsText(ms));

function partsOf({ services, engines, backends, redis, nats, queues }: SystemReport): readonly Part[] {
  return [
    ...services.map((service) => ({
      name: html`${service.service}`,
      state: service.state,
      about: serviceAbout(service),
    })),
    {
      name: t("overview.heartbeats"),
      state: engines.state,
      about: engines.heard === undefined ? undefined : t("overview.engines", { count: engines.heard }),
    },
    ...backends.map(({ name, state, down_at: at }) => ({
      name: t("overview.backend", { name }),
      state,
      about: at.length === 0 ? undefined : t("overview.not_at", { engines: at.join(", ") }),
    })),
    ...redis.map(({ role, state, latency_ms: ms }) => ({ name: html`Redis, ${role}`, state, about: latency(ms) })),
    { name: html`NATS`, state: nats.state, about: latency(nats.latency_ms) },
    ...queues.map(({ name, state, waiting = 0, failed = 0 }) => ({
      name: t("overview.queue", { name }),
      state,
      about: joined([
        t("overview.waiting", { count: waiting }),
        failed > 0 && t("overview.jobs_failed", { count: failed }),
      ]),
    })),
  ];
}

const moods: Readonly<Record<string, string>> = {
  up: "is-up",
  down: "is-down",
  degraded: "is-partly",
  starting: "is-partly",
};
const verdicts: Readonly<Record<string, string>> = { up: "working", down: "blocked" };

function health(system: SystemReport): Html {
  const { state, verdict, sentence: said, findings } = system;
  return html`<div class="verdict ${verdicts[state] ?? state}">${stateBadge(state)} ${sentenceHtml(said && [said], verdict)}${findings
    .slice(0, maxListed)
    .map(
      ({ subject, text, sentence: found }) =>
        html`<p>${subjectText(subject)}: ${sentenceHtml(found && [found], text)}</p>`,
    )}</div>`;
}

function strip(system: SystemReport): Html {
  return html`<section class="health"><h2>${t("overview.health")}</h2><ul class="strip">${partsOf(system).map(
    ({ name, state, about }) =>
      html`<li class="${moods[state] ?? ""}"><b>${name}</b> ${stateBadge(state)}${about !== undefined && html`<small>${about}</small>`}</li>`,
  )}</ul><p><a href="${pathTo("consoleSystem")}">${t("overview.to_system")}</a></p></section>`;
}

function protocols({ protocols: found }: SignInSeries): Html | undefined {
  if (found.length === 0) return undefined;
  return html`<section><h2>${t("overview.protocols")}</h2><ul class="counted">${found.map(
    ({ protocol, ok, failed }) => {
      const refused = failed > 0 && t("overview.share_refused", { share: percentText(failed / (ok + failed)) });
      return html`<li><span class="name">${word("protocol", protocol)}</span> <span>${joined([countText(ok + failed), refused])}</span></li>`;
    },
  )}</ul></section>`;
}

function attacksPart({ attacks, links }: OverviewView): Html {
  const { networks } = attacks;
  return html`<section><h2>${t("bans.attacked")}</h2>${counted(links, attackedAccounts(attacks, maxListed))}</section><section><h2>${t("bans.networks")}</h2>${counted(
    links,
    networkItems(networks.slice(0, maxListed)),
  )}</section>`;
}

/** While there is an attack, that everything works is a part of the answer about it. */
function answer({ attacks, system }: OverviewView): Html {
  const attack = attackPart(attacks, system.state);
  return html`${attack}${(attack === undefined || system.state !== "up") && health(system)}`;
}

/** Whether the service works, whether it is attacked, since when and from where. */
export function overviewPage(view: OverviewView): ConsolePage {
  const { range, series, system } = view;
  const title = t("page.overview");
  const charts = [outcomesChart, weekChart, tempfailChart, timesChart, bansChart, suspiciousChart];
  return {
    title,
    id: "overview",
    body: html`<h1>${title}</h1>${answer(view)}<div class="about-range">${switches(range)}<p>${t("overview.as_of", { time: time(system.time) })}</p></div>${tiles(series)}<div class="charts">${charts.map(
      (chart) => chartFigure(chart(series)),
    )}</div><div class="lists">${attacksPart(view)}${protocols(series)}</div>${strip(system)}`,
  };
}
