import { type Attacks, pathTo, type SignInSeries, type SystemReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { attackedAccounts, counted, networkItems } from "../bans/bans-page.ts";
import { chartFigure } from "../charts/chart.ts";
import { countText, millisecondsText, percentText } from "../charts/scales.ts";
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
import { plural, type SubjectLinks, time } from "../shown-values.ts";

/** Ranges between which links switch. */
export const overviewRanges = { "1h": "1 hour", "24h": "24 hours", "7d": "7 days" } as const;
export type OverviewRange = keyof typeof overviewRanges;

export const isOverviewRange = (text: string): text is OverviewRange => Object.hasOwn(overviewRanges, text);

const rangeIds = Object.keys(overviewRanges).filter(isOverviewRange);

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
  readonly name: string;
  readonly value: string;
  readonly about: string;
  readonly mood?: "good" | "bad" | undefined;
}

/** The steps that have ended. Undefined if nothing was counted a week before. */
function weekText({ week, week_step_seconds: seconds }: SignInSeries): string | undefined {
  const both = week.slice(0, -1).filter(({ week_before: before }) => before !== undefined);
  const before = sumOf(both.map(({ week_before: then = 0 }) => then));
  if (before === 0) return undefined;
  const change = Math.round((100 * sumOf(both.map(({ failures }) => failures))) / before - 100);
  return `${change >= 0 ? "+" : "−"}${countText(Math.abs(change))} % on the week before, ${week.length * seconds > 172_800 ? "in 7 days" : "in 24 hours"}`;
}

function objectiveTile(isMet: boolean, objective: string): Pick<Tile, "about" | "mood"> {
  return { about: `Objective ${objective}: ${isMet ? "met" : "missed"}`, mood: isMet ? "good" : "bad" };
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
    { name: "Sign-ins", value: countText(all), about: `${Number(perMinute.toPrecision(2))} a minute` },
    {
      name: "Refused",
      value: countText(refused),
      about: [percentText(share(refused)), weekText(series)].filter((text) => text !== undefined).join("; "),
    },
    {
      name: "Temporary failures",
      value: countText(failed),
      ...(all === 0
        ? { about: "No decisions" }
        : objectiveTile(share(failed) <= maxShare, `at most ${percentText(maxShare)}`)),
    },
    {
      name: "99 of 100 decisions within",
      value: p99 === undefined ? "–" : millisecondsText(p99),
      ...(p99 === undefined ? { about: "No decisions" } : objectiveTile(p99 <= maxMs, millisecondsText(maxMs))),
    },
    {
      name: "Bans in force",
      value: inForce === undefined ? "–" : countText(inForce),
      about: `${countText(fresh)} new`,
    },
    {
      name: "Suspicious sign-ins",
      value: countText(suspicious),
      about: "with the correct password",
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
  return html`<nav class="ranges" aria-label="Time">${rangeIds.map(
    (id) =>
      html`<a href="${pathTo("consoleOverview")}?range=${id}"${id === range && html` aria-current="true"`}>${overviewRanges[id]}</a>`,
  )}</nav>`;
}

interface Part {
  readonly name: string;
  readonly state: string;
  readonly about: Html | string;
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
  return html`${instances.length === 0 ? "No process" : `Version ${versionsOf(service)}`}${
    latest !== undefined && html`; last start ${time(latest)}`
  }${failed.length > 0 && `; failed: ${failed.join(", ")}`}`;
}

const latency = (ms: number | undefined): string => (ms === undefined ? "" : millisecondsText(ms));

function partsOf({ services, engines, backends, redis, nats, queues }: SystemReport): readonly Part[] {
  return [
    ...services.map((service) => ({ name: service.service, state: service.state, about: serviceAbout(service) })),
    {
      name: "Heartbeats",
      state: engines.state,
      about: engines.heard === undefined ? "" : plural(engines.heard, "engine", "engines"),
    },
    ...backends.map(({ name, state, down_at: at }) => ({
      name: `Backend ${name}`,
      state,
      about: at.length === 0 ? "" : `not at ${at.join(", ")}`,
    })),
    ...redis.map(({ role, state, latency_ms: ms }) => ({ name: `Redis, ${role}`, state, about: latency(ms) })),
    { name: "NATS", state: nats.state, about: latency(nats.latency_ms) },
    ...queues.map(({ name, state, waiting = 0, failed = 0 }) => ({
      name: `Queue ${name}`,
      state,
      about: [`${countText(waiting)} waiting`, ...(failed > 0 ? [`${countText(failed)} failed`] : [])].join(", "),
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
  const { state, verdict, findings } = system;
  return html`<div class="verdict ${verdicts[state] ?? state}">${stateBadge(state)} ${verdict}${findings
    .slice(0, maxListed)
    .map(({ subject, text }) => html`<p>${subject}: ${text}</p>`)}</div>`;
}

function strip(system: SystemReport): Html {
  return html`<section class="health"><h2>Health</h2><ul class="strip">${partsOf(system).map(
    ({ name, state, about }) =>
      html`<li class="${moods[state] ?? ""}"><b>${name}</b> ${stateBadge(state)}${about !== "" && html`<small>${about}</small>`}</li>`,
  )}</ul><p><a href="${pathTo("consoleSystem")}">Every process and certificate</a></p></section>`;
}

function protocols({ protocols: found }: SignInSeries): Html | undefined {
  if (found.length === 0) return undefined;
  return html`<section><h2>By protocol</h2><ul class="counted">${found.map(({ protocol, ok, failed }) => {
    const refused = failed === 0 ? "" : `, ${percentText(failed / (ok + failed))} refused`;
    return html`<li><span class="name">${protocol}</span> <span>${countText(ok + failed)}${refused}</span></li>`;
  })}</ul></section>`;
}

function attacksPart({ attacks, links }: OverviewView): Html {
  const { networks } = attacks;
  return html`<section><h2>Accounts under attack</h2>${counted(links, attackedAccounts(attacks, maxListed))}</section><section><h2>Networks with most failures</h2>${counted(
    links,
    networkItems(networks.slice(0, maxListed)),
  )}</section>`;
}

/** Whether the service works, whether it is attacked, and since when. */
export function overviewPage(view: OverviewView): ConsolePage {
  const { range, series, system } = view;
  const charts = [outcomesChart, weekChart, tempfailChart, timesChart, bansChart, suspiciousChart];
  return {
    title: "Overview",
    body: html`<h1>Overview</h1>${health(system)}<div class="about-range">${switches(range)}<p>As of ${time(system.time)}. Charts are in UTC.</p></div>${tiles(series)}<div class="charts">${charts.map(
      (chart) => chartFigure(chart(series)),
    )}</div><div class="lists">${attacksPart(view)}${protocols(series)}</div>${strip(system)}`,
  };
}
